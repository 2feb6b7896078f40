import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';

export type Stele = {
  readonly child: ChildProcess;
  /** {base_url} with the host 127.0.0.1, since Node does not resolve *.localhost. */
  readonly base: string;
  readonly port: number;
  readonly folder: string;
  /** Everything it has printed so far. */
  readonly printed: () => string;
  /** A request to the API. */
  readonly api: ReturnType<typeof request>;
  /** A request to a site's own host. */
  readonly visit: (slug: string, path?: string) => request.Test;
  /** Sends the signal and answers the exit code, or the signal that ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string | null>;
};

export const temporaryFolder = async (name: string) => {
  const folder = await mkdtemp(join(tmpdir(), `stele-${name}-`));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) };
};

type Wanted = {
  readonly folder: string;
  readonly env?: Record<string, string>;
  /** `npm start` as a person types it; else the built program, without npm's start-up time. */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
};

const program = [process.execPath, 'dist/main.js'] as const;

/** The real process on a free port, ready to answer. Rejects with what it printed when it ends instead. */
export async function startStele({ folder, env = {}, command = program, cwd }: Wanted): Promise<Stele> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    env: { ...process.env, NODE_OPTIONS: '', PORT: '0', STELE_DATA: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  });
  let text = '';
  const exited = once(child, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk;
      const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(text)?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`Stele ended (${code ?? signal}):\n${text}`)));
  });
  const base = `http://127.0.0.1:${port}`;
  return {
    child,
    base,
    port,
    folder,
    printed: () => text,
    api: request(base),
    visit: (slug, path = '/') => request(base).get(path).set('host', `${slug}.localhost:${port}`),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}
