import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../../kernel/faults/error-code.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { OutputFile } from '../../kernel/ports/outside/builder.js';
import { isRoot } from '../isolated/owner.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Lists the files below a folder of a work tree. Nothing may write to the work tree meanwhile. Does not follow links,
 * even on the path to the folder. Returns null if the path is not a folder. Unreadable entries have the kind `other`.
 */
export async function outputFiles(root: string, folder: string): Promise<OutputFile[] | null> {
  if (!(await isPlainFolder(root, folder))) return null;
  const found: OutputFile[] = [];
  const folders: { readonly path: string; readonly shown: string }[] = [{ path: join(root, folder), shown: '' }];
  for (let each = folders.pop(); each; each = folders.pop()) {
    const entries = await readdir(each.path, { withFileTypes: true, encoding: 'buffer' }).catch(unlessClosed);
    if (!entries) found.push({ path: each.shown.slice(0, -1), kind: 'other', size: 0, modifiedMs: 0 });
    for (const entry of entries ?? []) {
      const name = decoded(entry.name);
      const shown = `${each.shown}${name ?? '?'}`;
      if (name === null) found.push({ path: null, kind: 'other', size: 0, modifiedMs: 0 });
      else if (entry.isDirectory()) folders.push({ path: join(each.path, name), shown: `${shown}/` });
      else found.push(await described(join(each.path, name), shown, entry));
    }
  }
  return found;
}

async function described(path: string, shown: string, entry: Dirent<Buffer>): Promise<OutputFile> {
  if (!entry.isFile()) return { path: shown, kind: entry.isSymbolicLink() ? 'link' : 'other', size: 0, modifiedMs: 0 };
  const { size, mtimeMs, mode } = await lstat(path);
  const isReadable = isRoot() || (mode & constants.S_IRUSR) !== 0;
  return { path: shown, kind: isReadable ? 'file' : 'other', size, modifiedMs: mtimeMs };
}

/**
 * Returns null if access was denied, and rethrows all other errors. A build that runs as this process’s user can remove
 * the permissions of its files.
 */
function unlessClosed(error: unknown): null {
  if (isCode(error, 'EACCES')) return null;
  throw error;
}

/** Reports whether each step of the path is a folder and not a link. */
async function isPlainFolder(root: string, folder: string): Promise<boolean> {
  let path = root;
  for (const part of folder === '.' ? [] : folder.split('/')) {
    path = join(path, part);
    if (part === '..' || !(await lstat(path).catch(alreadyGone))?.isDirectory()) return false;
  }
  return true;
}

/** Yields a file’s content. Throws if the path is not a regular file. */
export async function* outputContent(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, READ);
  try {
    if (!(await file.stat()).isFile()) throw new Error('A file in the build output is no longer a regular file.');
    yield* file.createReadStream({ autoClose: false });
  } finally {
    await file.close();
  }
}

function decoded(name: Buffer): string | null {
  try {
    return utf8.decode(name);
  } catch {
    return null;
  }
}
