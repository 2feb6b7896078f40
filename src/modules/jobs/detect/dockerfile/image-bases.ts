import type { Plan } from '../../../../events/repo-source.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { RepoFiles } from '../repo-files.js';
import { parseRootDirectory } from '../root-directory.js';
import { findBaseImages } from './dockerfile.js';
import { UnsupportedDockerfileError } from './instructions.js';

/**
 * Returns the base images of the plan's Dockerfile. Refuses a missing or unsupported Dockerfile with
 * `plan_not_detected`.
 */
export async function imageBases(
  files: RepoFiles,
  { rootDirectory, dockerfile }: Pick<Plan, 'rootDirectory' | 'dockerfile'>,
  registries: readonly string[],
): Promise<readonly string[]> {
  const name = parseDockerfilePath(dockerfile);
  const path = `/${rootDirectory}/${name}`;
  if (!files.has(path))
    return refuse('plan_not_detected', `The repository has no file “${name}” to build an image from.`, [
      { path: 'plan.dockerfile', message: 'is not in the repository' },
    ]);
  const text = await files.readFile(path).catch(() => refuse('plan_not_detected', `${name} is larger than 1 MiB.`));
  try {
    return findBaseImages(text, registries);
  } catch (error) {
    if (!(error instanceof UnsupportedDockerfileError)) throw error;
    return refuse('plan_not_detected', `${name} cannot be built. ${error.message}`);
  }
}

/**
 * Returns the Dockerfile's path relative to the root directory. Refuses a name that ends in `.in`, because engines
 * treat such a file as a template.
 */
export function parseDockerfilePath(dockerfile: string | undefined): string {
  const name = parseRootDirectory(dockerfile ?? 'Dockerfile', 'plan.dockerfile');
  if (!name.endsWith('.in') && name !== '.') return name;
  return refuse(
    'plan_not_detected',
    `“${name}” is not a valid name for a Dockerfile. It must be a file name and must not end in .in.`,
    [{ path: 'plan.dockerfile', message: 'must be a file name and must not end in .in' }],
  );
}
