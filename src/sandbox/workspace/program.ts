import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PATIENCE_MS = 30_000;

/** Runs a trusted program of this machine with only PATH in its environment. Resolves to true if it succeeds. */
export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: { PATH: systemPath() },
    cwd: '/',
    timeout: PATIENCE_MS,
    // Starts a process group. Otherwise, Ctrl-C in a terminal would also kill a `umount` that cleans up before the exit.
    detached: true,
  });
  return Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])]).then(
    ([code]) => code === 0,
    () => false,
  );
}

/** Search path for programs, including those that are usually only run by root. */
export const systemPath = () => `${process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}:/usr/sbin:/sbin`;
