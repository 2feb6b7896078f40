import { type BigIntStats, type Dirent, lstatSync, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { DiskPace } from './disk-pace.js';
import { readFolderChange } from './folder-changed-error.js';
import { isInside } from './is-inside.js';
import { type LeftOut, type LeftOutReason, reasonToLeaveOut, sortByPath } from './site-paths.js';

export type FoundFile = {
  /** Path in the site, with slashes. */
  readonly path: string;
  /** Path on this machine. */
  readonly location: string;
  readonly stats: BigIntStats;
};

export type Walked = { readonly files: FoundFile[]; readonly leftOut: LeftOut[] };

/** Number of folders that are read at the same time. */
const CONCURRENCY = 16;

/**
 * Finds the files to deploy. Leaves out those that match `.steleignore` in the folder, which has the format of
 * `.gitignore`. `.gitignore` itself does not apply, because it usually lists build output. Links to files inside the
 * folder are followed. Rejects with FolderChangedError if a file or folder disappears during the walk.
 */
export async function walkFolder(folder: string): Promise<Walked> {
  const root = await realpath(folder);
  const rules = await readIgnoreRules(root);
  const files: FoundFile[] = [];
  const leftOut: LeftOut[] = [];
  const waiting = [''];
  const pace = new DiskPace();

  const readFolder = async (below: string) => {
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error) => {
      throw readFolderChange(error, below || folder);
    });
    await Promise.all(
      entries.map(async (entry) => {
        const path = below === '' ? entry.name : `${below}/${entry.name}`;
        const found = await classify(root, path, entry, rules, pace).catch((error) => {
          throw readFolderChange(error, path);
        });
        if (found === 'folder') waiting.push(path);
        else if (typeof found === 'string') leftOut.push({ path, isFolder: entry.isDirectory(), reason: found });
        else files.push(found);
      }),
    );
  };

  while (waiting.length > 0) await Promise.all(waiting.splice(0, CONCURRENCY).map(readFolder));
  return { files: sortByPath(files), leftOut: sortByPath(leftOut) };
}

async function classify(
  root: string,
  path: string,
  entry: Dirent,
  rules: Ignore,
  pace: DiskPace,
): Promise<FoundFile | 'folder' | LeftOutReason> {
  const reason = reasonToLeaveOut(path);
  if (reason) return reason;
  if (rules.ignores(entry.isDirectory() ? `${path}/` : path)) return 'ignored';
  const location = join(root, path);
  // Node replaces invalid UTF-8 in names with this character, so the file or folder cannot be opened by its name.
  if (entry.name.includes('\ufffd') && !lstatSync(location, { throwIfNoEntry: false })) return 'encoding';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink() && !(await isFileInside(root, location))) return 'link';
  const stats = pace.isSlow
    ? await stat(location, { bigint: true })
    : await pace.run(() => statSync(location, { bigint: true }));
  return stats.isFile() ? { path, location, stats } : 'special';
}

/**
 * Whether a link points to a file inside the deployed folder that can be deployed itself. Following other links could
 * publish any file on this machine.
 */
async function isFileInside(root: string, link: string): Promise<boolean> {
  const target = await realpath(link).catch(() => null);
  if (target === null || !isInside(target, root)) return false;
  const isBlocked = relative(root, target)
    .split(sep)
    .some((_, index, names) => reasonToLeaveOut(names.slice(0, index + 1).join('/')));
  return !isBlocked && (await stat(target)).isFile();
}

async function readIgnoreRules(root: string): Promise<Ignore> {
  const text = await readFile(join(root, '.steleignore'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return ignore({ ignorecase: false }).add(text);
}
