import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Returns every file below a folder. Paths have forward slashes. */
export async function filesOf(folder: string): Promise<{ path: string; content: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name);
        return { path: relative(folder, file).replaceAll('\\', '/'), content: await readFile(file) };
      }),
  );
}
