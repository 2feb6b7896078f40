import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from './embedded-postgres-error.js';

/** PostgreSQL’s `cluster_name`, which appears in the server’s command line. */
export const clusterName = 'stele';

export type RunningPostgres = { readonly pid: number; readonly ready: boolean };

/**
 * Returns the server that runs on `data` according to `postmaster.pid` (process ID in line 1, state in line 8). After
 * a reboot, the ID may belong to another program and PostgreSQL would refuse to start, so the file is removed. If no
 * process has the ID, PostgreSQL handles the file itself and checks for surviving child processes.
 */
export async function runningServer(data: string): Promise<RunningPostgres | null> {
  const file = join(data, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return null;
  if (await serves(pid, data)) return { pid, ready: lines[7]?.trim() === 'ready' };
  await rm(file, { force: true });
  return null;
}

/** Reports whether a process exists, even if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Reports whether a process is the server of `data`. Without /proc, checks only the name of the process. */
export async function serves(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data));
    } catch (error) {
      // In a container, root may lack CAP_SYS_PTRACE and can only read the command line of another user’s process.
      if (systemCode(error) !== 'EACCES') return false;
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(`cluster_name=${clusterName}`);
    }
  }
  const named = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return named.stdout.trim().endsWith('postgres');
}
