import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import request, { type Response, type Test } from 'supertest';
import { nodeOptions } from '../service/node-options.js';
import { reusablePort } from '../service/reusable-port.js';

export type Member = {
  readonly roles: string;
  readonly port: number;
  readonly printed: () => string;
  readonly pid: () => number;
  readonly child: () => ChildProcess | null;
  /** Kills the process with SIGKILL, as the kernel does when memory runs out. */
  readonly kill: () => Promise<void>;
  /** Starts the process again on its port. Resolves when it responds. */
  readonly start: () => Promise<void>;
  /** Stops the process, and returns its exit code or the signal that ended it. */
  readonly stop: () => Promise<number | string | null>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | string | null>;
};

export async function memberOf(
  roles: string,
  env: Readonly<Record<string, string>>,
  also: (printed: Buffer) => void = () => undefined,
): Promise<Member> {
  const port = await reusablePort();
  let child: ChildProcess | null = null;
  let text = '';
  const ended = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? child?.signalCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code, by] = await exited;
    return (code ?? by) as number | string | null;
  };
  return {
    roles,
    port,
    printed: () => text,
    pid: () => child?.pid ?? 0,
    child: () => child,
    start: async () => {
      const started = spawn(process.execPath, [...nodeOptions, 'dist/bundled/start.js'], {
        // The builder's self-test runs only for tests that need it, as in `startStele`.
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          STELE_BUILDER: 'none',
          STELE_STATUS_PROBES: 'off',
          STELE_DISK_RESERVE: '0',
          ...env,
          PORT: String(port),
          STELE_ROLES: roles,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      text = '';
      await new Promise<void>((resolve, reject) => {
        const hear = (chunk: Buffer) => {
          text += chunk;
          also(chunk);
          if (text.includes('Ctrl-C')) resolve();
        };
        started.stdout.on('data', hear);
        started.stderr.on('data', hear);
        started.on('error', reject);
        started.on('exit', (code, signal) => reject(new Error(`${roles} ended (${code ?? signal}):\n${text}`)));
      });
    },
    kill: async () => void (await ended('SIGKILL')),
    stop: () => ended('SIGTERM'),
    end: ended,
  };
}

/** Starts Debian's Caddy with the repository's Caddyfile, in front of the members. */
export async function caddyFor(
  port: number,
  members: readonly Pick<Member, 'roles' | 'port'>[],
  env: Record<string, string> = {},
) {
  const at = (role: string) =>
    `to ${members
      .filter(({ roles }) => roles.includes(role))
      .map((member) => `127.0.0.1:${member.port}`)
      .join(' ')}`;
  const child = spawn('caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
    env: {
      ...process.env,
      STELE_BASE_URL: `http://localhost:${port}`,
      STELE_OTHERS_URL: `http://:${port}`,
      STELE_SITES_URL: `http://*.localhost:${port}, http://*.localhost.:${port}`,
      STELE_API_AT: at('api'),
      STELE_SERVE_AT: at('serve'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
      if (said.includes('serving initial configuration')) resolve();
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`caddy ended (${code}):\n${said}`)));
  });
  return {
    said: () => said,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      // Does not use SIGTERM, after which Caddy would wait indefinitely for clients that are still connected, for
      // example those of a failed test.
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * Time limit for retries. A killed process still holds its lease on an idempotency key for 60 s, so the limit is
 * longer.
 */
const INSISTENT_MS = 90_000;

const AGAIN = ['conflict', 'idempotency_in_progress'];

/** Sends a request. Retries if the response tells the client to, or if there is no response. */
export async function insistently(ask: () => Test): Promise<Response> {
  const enough = performance.now() + INSISTENT_MS;
  for (;;) {
    const answer = await ask().then(
      (answered) => answered,
      () => null,
    );
    const again = answer === null || answer.status >= 500 || AGAIN.includes(answer.body.code);
    if (answer && (!again || performance.now() > enough)) return answer;
    if (performance.now() > enough) throw new Error('Nobody answered for a minute and a half.');
    await delay(100);
  }
}

export function through(port: number) {
  const agent = request(`http://127.0.0.1:${port}`);
  const host = `localhost:${port}`;
  return {
    get: (path: string) => agent.get(path).set('host', host),
    post: (path: string) => agent.post(path).set('host', host),
    patch: (path: string) => agent.patch(path).set('host', host),
    visit: (slug: string, path = '/') => agent.get(path).set('host', `${slug}.${host}`),
  };
}
