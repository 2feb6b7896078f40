import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PATIENCE_MS = 30_000;

/** Runs a program of this machine that we trust, with nothing of our environment. True where it ended well. */
export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'ignore', env: { PATH: systemPath() }, cwd: '/', timeout: PATIENCE_MS });
  return Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])]).then(
    ([code]) => code === 0,
    () => false,
  );
}

/** Where programs of this machine are looked for: also those that only root calls. */
export const systemPath = () => `${process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}:/usr/sbin:/sbin`;
