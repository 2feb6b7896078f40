import { SitePaths, sitePath } from '../../../../content/uploads/checks/site-path.js';
import { type DeployLimits, deploySizeText, formatOneLine } from '../../../../content/uploads/deploy-limits.js';
import { inTurns } from '../../../../kernel/concurrency/in-turns.js';
import { formatExcess } from '../../../../kernel/output/quantities.js';
import { Refusal, type RefusalCode } from '../../../../kernel/refusal.js';

/** A reason why a deploy would be refused. `path` is the path as it was sent, if a single file is at fault. */
export type PreflightProblem = { readonly path?: string; readonly code: RefusalCode; readonly message: string };

export type AnnouncedFile = { readonly path: string; readonly size: number; readonly sha256: string };

/** Returns every reason why a deploy of these files would be refused. The deploy itself stops at the first reason. */
export async function findProblems(files: readonly AnnouncedFile[], limits: DeployLimits): Promise<PreflightProblem[]> {
  const { fileBytes, deployBytes } = limits;
  if (files.length === 0) return [{ code: 'no_files', message: '`files` must not be empty.' }];

  const paths = new SitePaths();
  const problems: PreflightProblem[] = [];
  for await (const [index, { path, size }] of inTurns(files.entries())) {
    const field = `files[${index}].path`;
    const refusal = catchRefusal(() => paths.add(sitePath(path, field), field));
    if (refusal) problems.push({ path, ...toPreflightProblem(refusal) });
    if (size > fileBytes)
      problems.push({
        path,
        code: 'too_large',
        message: `The file is ${formatExcess(size, fileBytes).join(', but the limit for a file is ')}.`,
      });
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > deployBytes)
    problems.push({
      code: 'too_large',
      message: formatOneLine(deploySizeText(limits, bytes)),
    });
  return problems;
}

export const toPreflightProblem = ({ code, detail }: Refusal): PreflightProblem => ({ code, message: detail ?? code });

export function catchRefusal(check: () => void): Refusal | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
