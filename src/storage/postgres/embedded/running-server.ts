import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from './embedded-postgres-error.js';

/** Stands in the server's command line. */
export const clusterName = 'stele';

export type RunningServer = { readonly pid: number; readonly ready: boolean };

/**
 * The server that runs on `data`, by its `postmaster.pid` (the first line its pid, the eighth its state), or null.
 *
 * After a restart of the machine the pid may be another program's, which would keep PostgreSQL from starting for
 * ever: such a file is removed. One with a dead pid is PostgreSQL's to judge, which also looks for survivors.
 */
export async function runningServer(data: string): Promise<RunningServer | null> {
  const file = join(data, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return null;
  if (await serves(pid, data)) return { pid, ready: lines[7]?.trim() === 'ready' };
  await rm(file, { force: true });
  return null;
}

/** Whether there is such a process, of whichever user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Whether this process is the server of `data`: that is its working folder. Where there is no /proc its name must do. */
export async function serves(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data));
    } catch (error) {
      // Root in a container may lack CAP_SYS_PTRACE, and then another user's process shows its command line only.
      if (systemCode(error) !== 'EACCES') return false;
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(`cluster_name=${clusterName}`);
    }
  }
  const named = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return named.stdout.trim().endsWith('postgres');
}
