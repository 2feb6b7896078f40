import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type SpawnedService = {
  readonly port: number;
  readonly pid: number;
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
};

/** Starts any built version outside Jest. Resolves when it is ready, and rejects with its output if it fails. */
export async function spawnService(
  command: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
): Promise<SpawnedService> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    ...(cwd && { cwd }),
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      printed += chunk;
      const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(printed)?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`It ended:\n${printed}`)));
  });
  return {
    port,
    pid: child.pid ?? 0,
    printed: () => printed,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
