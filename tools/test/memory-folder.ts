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
/** The most that a run was seen to have there at once is 1.4 GiB, of long histories. */
const ROOM_BYTES = 4 * gibibyte;
/** What the machine is to have left for everything, that room included. */
const AVAILABLE_BYTES = 8 * gibibyte;

/**
 * A folder in memory (Linux) for everything that a run of the tests keeps for a while, removed when this process ends:
 * each of the servers that it starts makes one or two thousand files, and a disk takes up to ten times as long for that.
 * Null where TMPDIR names a place already, or where there is not enough memory, or programs cannot be started from it.
 */
export function memoryFolder(): string | null {
  if (process.env.TMPDIR || !hasRoom()) return null;
  removeLeftovers();
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // As /tmp is: builds and PostgreSQL run as other users.
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

/** Of runs that were killed. A server that one has left ends by itself when it finds its data gone. */
function removeLeftovers() {
  for (const name of readdirSync(memory)) {
    const [, pid] = name.match(`^${prefix}(\\d+)-`) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    try {
      rmSync(join(memory, name), { recursive: true, force: true });
    } catch {
      // Of another user, or still written to: the next run finds it.
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
