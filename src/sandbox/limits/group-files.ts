import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

const LOOK_AGAIN_MS = 20;
/** Time for which a process can remain in its group after it has ended. */
const PATIENCE_MS = 2_000;

/** Kills the processes listed in a `cgroup.procs` file until the file is empty. */
export async function endAll(file: string): Promise<void> {
  for (;;) {
    const ids = (await readFile(file, 'utf8').catch(alreadyGone)) ?? '';
    if (ids.trim() === '') return;
    for (const id of ids.trim().split('\n')) end(Number(id));
    await delay(LOOK_AGAIN_MS);
  }
}

function end(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process exited in the meantime.
  }
}

/** Lists a control group and its descendants, innermost first. */
export async function groupsBelow(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(alreadyGone)) ?? [];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => groupsBelow(join(folder, name)));
  return [...(await Promise.all(below)).flat(), folder];
}

export async function removeGroup(folder: string): Promise<void> {
  for (const enough = Date.now() + PATIENCE_MS; ; await delay(LOOK_AGAIN_MS)) {
    const isBusy = await rmdir(folder).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EBUSY',
    );
    if (!isBusy || Date.now() > enough) return;
  }
}

/** Reads a number from a file of lines `{name} {number}`. Returns 0 if the name is missing. */
export async function counted(file: string, name: string): Promise<number> {
  const text = (await readFile(file, 'utf8').catch(alreadyGone)) ?? '';
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/** Reads a number from a file. Returns null if the file contains anything else. */
export async function readNumberFile(file: string): Promise<number | null> {
  const text = (await readFile(file, 'utf8').catch(alreadyGone))?.trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}
