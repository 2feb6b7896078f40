import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { RepoFiles } from './repo-files.js';

/** git-lfs, “The Pointer”: under 1,024 bytes, and this is its first line. */
const POINTER = 'version https://git-lfs.github.com/spec/';
const POINTER_BYTES = 1_024;
/** Each is read. */
const MOST_ATTRIBUTES = 100;

/**
 * Refuses a folder that a build would find incomplete: with a submodule, or with what Git LFS keeps elsewhere. A
 * pointer is one where the repository says that it uses Git LFS; elsewhere it is text like any other.
 */
export async function assertWholeTree(files: RepoFiles, folder: string): Promise<void> {
  const prefix = folder === '.' ? '' : `${folder}/`;
  const within = files.entries.filter(({ path }) => path?.startsWith(prefix));
  const submodule = within.find(({ kind }) => kind === 'submodule');
  if (submodule)
    refuse(
      'plan_not_detected',
      `${submodule.path} is a submodule. Submodules are not fetched; commit its files to the repository instead.`,
    );
  if (!(await usesLfs(files))) return;
  for (const { path, kind, size } of within) {
    if (path === null || kind !== 'file' || size < POINTER.length || size >= POINTER_BYTES) continue;
    if ((await files.readStart(`/${path}`)).startsWith(POINTER))
      refuse(
        'plan_not_detected',
        `${path} is stored in Git LFS, which is not fetched. Commit the file itself to the repository.`,
      );
  }
}

async function usesLfs(files: RepoFiles): Promise<boolean> {
  const isAttributes = ({ path, kind }: RepoEntry) => kind === 'file' && /(?:^|\/)\.gitattributes$/.test(path ?? '');
  for (const { path } of files.entries.filter(isAttributes).slice(0, MOST_ATTRIBUTES))
    if ((await files.readStart(`/${path}`)).includes('filter=lfs')) return true;
  return false;
}
