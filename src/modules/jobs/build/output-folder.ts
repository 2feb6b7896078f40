import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import type { OutputFile, Sandbox } from '../../../kernel/ports/builder.js';
import { BuildFailed } from './build-failed.js';

/** Where generators put pages, the usual first. */
const USUAL = [
  ...['dist', 'build', 'out', '_site', 'public', 'www', '.output/public', 'dist/client', 'build/client'],
  ...['docs/.vitepress/dist', '.vitepress/dist', 'docs/.vuepress/dist', 'src/.vuepress/dist', '.vuepress/dist'],
];

/** File systems and clocks round: a file that is written at the very start counts as new. */
const ROUNDING_MS = 2_000;

/**
 * The folder that a build has made, relative to the repository: new or changed since it began, with a page to begin
 * with. What the plan names stands, if it is there.
 */
export async function outputFolder(sandbox: Sandbox, plan: Plan, begunMs: number): Promise<string> {
  const { rootDirectory, outputDirectory } = plan;
  const candidates = [...new Set([...(outputDirectory === null ? [] : [outputDirectory]), ...USUAL])];
  for (const candidate of candidates) {
    const folder = posix.join(rootDirectory, candidate);
    const files = await sandbox.files(folder);
    if (files && isMade(files, begunMs)) return folder;
  }
  const named = outputDirectory === null ? '' : `“${outputDirectory}” or in `;
  throw new BuildFailed(
    `The build made no page: there is no index.html that it has written in ${named}${USUAL.slice(0, 5).join(', ')}. Name the folder with plan.outputDirectory.`,
  );
}

const isMade = (files: readonly OutputFile[], begunMs: number) =>
  files.some(({ path }) => path === 'index.html') &&
  files.some(({ kind, modifiedMs }) => kind === 'file' && modifiedMs >= begunMs - ROUNDING_MS);
