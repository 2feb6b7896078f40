import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'stele-run-';

const gibibyte = 1024 ** 3;
/** Free space that the folder needs. The highest observed use in a run is 1.4 GiB, by tests of long histories. */
const ROOM_BYTES = 4 * gibibyte;
/** Memory that must be available before the folder is created, including the space for the folder. */
const AVAILABLE_BYTES = 8 * gibibyte;

/**
 * Creates a folder in memory (Linux) for the temporary files of a test run. Each server that tests start creates one or
 * two thousand files, for which a disk takes up to ten times as long. Returns null if TMPDIR is set, if there is not
 * enough memory, or if programs cannot be started from the folder.
 */
export function memoryFolder(): string | null {
  if (process.env.TMPDIR || !hasRoom()) return null;
  removeLeftovers();
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // Uses the same mode as /tmp, because builds and PostgreSQL run as other users.
  chmodSync(folder, 0o1777);
  if (!startsPrograms(folder)) {
    remove();
    return null;
  }
  process.once('exit', remove);
  return folder;
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    const [, available = '0'] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
    return bavail * bsize >= ROOM_BYTES && Number(available) * 1024 >= AVAILABLE_BYTES;
  } catch {
    return false;
  }
}

function startsPrograms(folder: string): boolean {
  const program = join(folder, 'tried.sh');
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

/** Removes folders of killed runs. A server left behind by such a run exits when it finds its data missing. */
function removeLeftovers() {
  for (const name of readdirSync(memory)) {
    const [, pid] = name.match(`^${prefix}(\\d+)-`) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    try {
      rmSync(join(memory, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user or is still in use. The next run tries again.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
