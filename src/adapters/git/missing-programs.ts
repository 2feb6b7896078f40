import { spawn } from 'node:child_process';
import { once } from 'node:events';

const programs = [
  { name: 'git', args: ['--version'], from: 'git' },
  { name: 'prlimit', args: ['--version'], from: 'util-linux' },
  { name: 'timeout', args: ['--version'], from: 'coreutils' },
] as const;

/**
 * Names the required programs that cannot be run here, and the packages that contain them. Returns null if none is
 * missing.
 */
export async function missingPrograms(): Promise<string | null> {
  // Checks all three with one process in the usual case: starting each one separately costs at least 10 ms of CPU time.
  if (await runs('timeout', ['5', 'prlimit', '--core=0', 'git', '--version'])) return null;
  const found = await Promise.all(programs.map(async ({ name, args }) => runs(name, args)));
  const missing = programs.filter((_, index) => !found[index]);
  if (missing.length === 0) return null;
  const names = missing.map(({ name }) => name).join(', ');
  const packages = [...new Set(missing.map(({ from }) => from))].join(' ');
  return `This server cannot read repositories without ${names}. On Debian: apt-get install ${packages}`;
}

async function runs(name: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(name, args, { stdio: 'ignore', timeout: 5_000 });
  return Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])]).then(
    ([code]) => code === 0,
    () => false,
  );
}
