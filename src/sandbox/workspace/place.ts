import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Folder for sandboxes if other users cannot enter the data folder. */
const ELSEWHERE = '/var/lib/stele-builds';

/** Execute permission for others, which allows them to traverse a folder. */
const OTHERS_MAY_PASS = 0o001;

/**
 * Returns a folder for sandboxes that an unprivileged user can reach: the given folder, if others can traverse all its
 * parents. Otherwise, returns a folder below `/var/lib` whose name is derived from the given folder.
 */
export async function reachablePlace(folder: string): Promise<string> {
  for (let path = dirname(folder); ; path = dirname(path)) {
    const { mode } = await stat(path);
    if ((mode & OTHERS_MAY_PASS) === 0) return join(ELSEWHERE, hash('sha256', folder).slice(0, 16));
    if (path === '/') return folder;
  }
}
