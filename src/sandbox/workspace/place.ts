import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Folder for sandboxes if the data folder is closed to other users. */
const ELSEWHERE = '/var/lib/stele-builds';

/** Execute permission for others, which allows them to pass through a folder. */
const OTHERS_MAY_PASS = 0o001;

/**
 * Returns a folder for sandboxes that an unprivileged user can reach: the given one if others can pass through all its
 * parents, else one under `/var/lib` named after it.
 */
export async function reachablePlace(folder: string): Promise<string> {
  for (let path = dirname(folder); ; path = dirname(path)) {
    const { mode } = await stat(path);
    if ((mode & OTHERS_MAY_PASS) === 0) return join(ELSEWHERE, hash('sha256', folder).slice(0, 16));
    if (path === '/') return folder;
  }
}
