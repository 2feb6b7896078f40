import { type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * These functions read folders that a running service is changing. Unlike `readdir` with `recursive`, `stat` and
 * `readFile`, they ignore files and folders that disappear while they read.
 */

const isGone = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

async function ifStillThere<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export async function readNames(folder: string): Promise<string[]> {
  return (await ifStillThere(readdir(folder))) ?? [];
}

/** Returns the paths of the files that `isWanted` accepts, relative to the folder. */
export async function listFiles(folder: string, isWanted: (path: string) => boolean = () => true): Promise<string[]> {
  const found: string[] = [];
  const unread = [folder];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const entries: Dirent[] = (await ifStillThere(readdir(next, { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (!isWanted(relative(folder, path))) continue;
      if (entry.isDirectory()) unread.push(path);
      else if (entry.isFile()) found.push(relative(folder, path));
    }
  }
  return found.sort();
}

export async function* readFiles(folder: string, isWanted?: (path: string) => boolean) {
  for (const path of await listFiles(folder, isWanted)) {
    const content = await ifStillThere(readFile(join(folder, path)));
    if (content !== null) yield { path, content };
  }
}

/** Returns the total size of the files directly in the folder. */
export async function countBytes(folder: string): Promise<number> {
  const sizes = (await readNames(folder)).map(
    async (name) => (await ifStillThere(stat(join(folder, name))))?.size ?? 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
