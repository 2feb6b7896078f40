import { refuse } from '../../../kernel/refusal.js';

const LONGEST = 1_024;

/** A folder’s name without what says nothing: a slash at its ends, a `./` before it. `.` for an empty one. */
export const trimmedFolder = (text: string) => text.replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '') || '.';

/** Whether a trimmed name is that of a folder inside. */
export const isFolderName = (path: string) =>
  path === '.' ||
  (path.length <= LONGEST &&
    !/[\p{Control}\\]/u.test(path) &&
    path.isWellFormed() &&
    path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..'));

/**
 * The folder that is asked for: canonical, `.` for all of it. Refuses with `invalid_request`, naming the member of the
 * request that it stands in.
 */
export function rootDirectoryOf(text: string | null, member = 'rootDirectory'): string {
  const path = trimmedFolder(text ?? '.');
  if (isFolderName(path)) return path;
  const message = 'is not a folder in the repository, such as packages/site';
  return refuse('invalid_request', `${member} ${message}.`, [{ path: member, message }]);
}
