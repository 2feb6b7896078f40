import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { reachablePlace } from '../../../src/sandbox/workspace/place.js';
import { readNames } from '../content/changing-folder.js';

/**
 * Returns the folder in which the service with this data folder creates its sandboxes. For root, it is often not in the
 * data folder.
 */
const sandboxFolder = async (data: string): Promise<string | null> => {
  const builds = join(data, 'builds');
  if (process.getuid?.() !== 0) return builds;
  // The data folder does not exist before the service has created it.
  return reachablePlace(builds).catch(() => null);
};

/** Reports whether a sandbox of the service with this data folder contains the file of the test build at startup. */
export async function isTestBuildRunning(data: string): Promise<boolean> {
  const folder = await sandboxFolder(data);
  if (folder === null) return false;
  const sandboxes = join(folder, 'rooms');
  for (const owner of (await readNames(sandboxes)).filter((name) => !name.endsWith('.sock')))
    for (const room of await readNames(join(sandboxes, owner)))
      if ((await readNames(join(sandboxes, owner, room, 'disk/work'))).includes('asked')) return true;
  return false;
}

/** Returns the mounts of sandboxes of the service with this data folder, and the processes in such sandboxes. */
export async function leftInSandboxes(data: string): Promise<readonly string[]> {
  const folder = await sandboxFolder(data);
  if (folder === null) return [];
  const within = (text: string) => text.split('\n').filter((line) => line.includes(`${folder}/`));
  const ours = await readlink('/proc/self/ns/mnt');
  const found = within(await readFile('/proc/self/mountinfo', 'utf8'));
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // A process may exit at any moment.
    if ((await readlink(`/proc/${pid}/ns/mnt`).catch(() => ours)) === ours) continue;
    const mounts = within(await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => ''));
    if (mounts.length > 0) found.push(`process ${pid}: ${mounts[0]}`);
  }
  return found;
}
