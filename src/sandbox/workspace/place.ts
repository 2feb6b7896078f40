import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where builds have their rooms when the data folder is closed to others. */
const ELSEWHERE = '/var/lib/stele-builds';

/** The right of others to go through a folder. */
const OTHERS_MAY_PASS = 0o001;

/**
 * The folder for rooms that a user without rights has to reach: the one that is asked for, if every folder on the way to
 * it lets others pass, else one of the machine’s own, by the name of the first.
 */
export async function reachablePlace(folder: string): Promise<string> {
  for (let path = dirname(folder); ; path = dirname(path)) {
    const { mode } = await stat(path);
    if ((mode & OTHERS_MAY_PASS) === 0) return join(ELSEWHERE, hash('sha256', folder).slice(0, 16));
    if (path === '/') return folder;
  }
}
