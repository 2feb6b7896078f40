import type { RepoSource } from '../../../events/repo-source.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';

const MAX_CHARACTERS = 1_024;

/** Removes a leading `./` and leading and trailing slashes. Returns `.` for an empty path. */
export const trimmedFolder = (text: string) => text.replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '') || '.';

/** Reports whether this is a valid folder name. `path` must have no leading `./` and no leading or trailing slashes. */
export const isFolderName = (path: string) =>
  path === '.' ||
  (path.length <= MAX_CHARACTERS &&
    !/[\p{Control}\\]/u.test(path) &&
    path.isWellFormed() &&
    path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..'));

/** Returns a folder and all its parents. The root is an empty string. */
export function listParents(folder: string): readonly string[] {
  const segments = folder === '.' ? [] : folder.split('/');
  return Array.from({ length: segments.length + 1 }, (_, n) => segments.slice(0, segments.length - n).join('/'));
}

/**
 * Returns the trimmed path; `.` is the whole repository. Refuses an invalid path with `invalid_request`, naming its
 * request field.
 */
export function parseRootDirectory(text: string | null, member = 'rootDirectory'): string {
  const path = trimmedFolder(text ?? '.');
  if (isFolderName(path)) return path;
  return refuseInvalid({
    path: member,
    message: 'must be a relative path inside the repository, such as packages/site',
  });
}

/** Refuses a folder in the request that is outside the repository, and names its field. */
export function assertFolders({ rootDirectory, plan }: Folders): void {
  parseRootDirectory(rootDirectory);
  for (const member of ['rootDirectory', 'outputDirectory', 'dockerfile'] as const)
    parseRootDirectory(plan[member] ?? null, `plan.${member}`);
}

type Folders = Pick<RepoSource, 'rootDirectory' | 'plan'>;
