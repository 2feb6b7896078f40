import { plural } from '../../../kernel/output/quantities.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { RepoFiles } from './repo-files.js';

/** First line of a Git LFS pointer, which is shorter than 1,024 bytes (git-lfs, "The Pointer"). */
const POINTER = 'version https://git-lfs.github.com/spec/';
const POINTER_BYTES = 1_024;
/** Maximum number of .gitattributes files to read. */
const MAX_ATTRIBUTES = 100;

/**
 * Refuses a folder that contains a submodule or files stored by Git LFS, because its checkout would be incomplete.
 * Pointers count only if the repository uses Git LFS; otherwise they are ordinary text files.
 */
export async function assertCompleteCheckout(files: RepoFiles, folder: string): Promise<void> {
  const within = listEntries(files, folder);
  const submodule = within.find(({ kind }) => kind === 'submodule');
  if (submodule)
    refuse(
      'plan_not_detected',
      `${submodule.path} is a submodule. Submodules are not fetched; commit its files to the repository instead.`,
    );
  for await (const path of findPointers(files, within))
    refuse(
      'plan_not_detected',
      `${path} is stored in Git LFS, which is not fetched. Commit the file itself to the repository.`,
    );
}

/** Returns a warning about Git LFS files, which a deploy of plain pages leaves out; null if there are none. */
export async function warnOfPointers(files: RepoFiles, folder: string): Promise<string | null> {
  const found: string[] = [];
  for await (const path of findPointers(files, listEntries(files, folder))) found.push(path);
  const [first, ...others] = found;
  if (first === undefined) return null;
  return others.length === 0
    ? `${first} is stored in Git LFS, which is not fetched, and will be skipped. Commit the file itself to the repository.`
    : `${plural(found.length, 'file')}, such as ${first}, are stored in Git LFS, which is not fetched, and will be skipped. Commit the files themselves to the repository.`;
}

function listEntries(files: RepoFiles, folder: string): readonly RepoEntry[] {
  const prefix = folder === '.' ? '' : `${folder}/`;
  return files.entries.filter(({ path }) => path?.startsWith(prefix));
}

async function* findPointers(files: RepoFiles, entries: readonly RepoEntry[]): AsyncGenerator<string> {
  if (!(await usesLfs(files))) return;
  for (const { path, kind, size } of entries) {
    if (path === null || kind !== 'file' || size < POINTER.length || size >= POINTER_BYTES) continue;
    if ((await files.readStart(`/${path}`)).startsWith(POINTER)) yield path;
  }
}

async function usesLfs(files: RepoFiles): Promise<boolean> {
  const isAttributes = ({ path, kind }: RepoEntry) => kind === 'file' && /(?:^|\/)\.gitattributes$/.test(path ?? '');
  for (const { path } of files.entries.filter(isAttributes).slice(0, MAX_ATTRIBUTES))
    if ((await files.readStart(`/${path}`)).includes('filter=lfs')) return true;
  return false;
}
