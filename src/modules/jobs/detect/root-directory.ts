import type { RepoSource } from '../../../events/repo-source.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';

const MAX_CHARACTERS = 1_024;

/** Removes slashes at the ends of a folder’s name and a leading `./`. Returns `.` for an empty name. */
export const trimmedFolder = (text: string) => text.replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '') || '.';

/** Whether a trimmed name is that of a folder inside the repository. */
export const isFolderName = (path: string) =>
  path === '.' ||
  (path.length <= MAX_CHARACTERS &&
    !/[\p{Control}\\]/u.test(path) &&
    path.isWellFormed() &&
    path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..'));

/** Returns a folder and all its parents, up to the root as an empty string. */
export function listParents(folder: string): readonly string[] {
  const segments = folder === '.' ? [] : folder.split('/');
  return Array.from({ length: segments.length + 1 }, (_, n) => segments.slice(0, segments.length - n).join('/'));
}

/**
 * Returns a path inside the repository in canonical form; `.` is all of it. Refuses with `invalid_request`, naming the
 * field of the request that contains it.
 */
export function parseRootDirectory(text: string | null, member = 'rootDirectory'): string {
  const path = trimmedFolder(text ?? '.');
  if (isFolderName(path)) return path;
  return refuseInvalid({
    path: member,
    message: 'must be a relative path inside the repository, such as packages/site',
  });
}

/** Refuses a folder of a request that is not inside the repository, naming its field. */
export function assertFolders({ rootDirectory, plan }: Folders): void {
  parseRootDirectory(rootDirectory);
  for (const member of ['rootDirectory', 'outputDirectory', 'dockerfile'] as const)
    parseRootDirectory(plan[member] ?? null, `plan.${member}`);
}

type Folders = Pick<RepoSource, 'rootDirectory' | 'plan'>;
