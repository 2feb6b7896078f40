// Runs the product in its own process with a probe, and sends requests exactly as written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANNOUNCED_PORT, inRoot, startOptions } from '../product.ts';
import type { Question } from './probe.ts';

const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url));

export type Request = {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: Buffer | null;
  localAddress?: string;
};
/** A small but expensive request. */
export type WorstCase = { what: string; request: Request };
/** A signed-in person, the slug of their site, and the headers of the agent of the site's connector. */
export type Actor = { headers: Record<string, string>; slug: string; agent: Record<string, string> };
export type Service = Awaited<ReturnType<typeof startService>>;

/** Time limit for a response. */
const PATIENCE_MS = 120_000;
/** Time for which an endless stream is read. */
const STREAM_MS = 20;

export async function startService(env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stele-cost-'));
  const args = [...startOptions, '--expose-gc', '--import', PROBE, 'dist/bundled/start.js'];
  const child = spawn(process.execPath, args, {
    cwd: inRoot(''),
    env: { ...process.env, NODE_OPTIONS: '', PORT: '0', STELE_DATA: folder, STELE_STATUS_PROBES: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  const ended = once(child, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      printed += chunk;
      const found = ANNOUNCED_PORT.exec(printed)?.[1];
      if (found) resolve(Number(found));
    };
    for (const output of [child.stdout, child.stderr]) output?.on('data', hear);
    void ended.then(() => reject(new Error(printed)));
  });

  let asked = 0;
  const ask = (what: Question) =>
    new Promise<unknown>((resolve) => {
      const id = ++asked;
      const hear = (message: { id: number; answer: unknown }) => {
        if (message.id !== id) return;
        child.off('message', hear);
        resolve(message.answer);
      };
      child.on('message', hear);
      child.send({ id, ask: what });
    });

  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  /** Sends a request. The status is 0 if the connection is closed without a response. */
  const send = ({ method = 'GET', path = '/', headers = {}, body = null, localAddress }: Request) =>
    new Promise<{ status: number; body: Buffer }>((resolve) => {
      const all = { host: `localhost:${port}`, ...headers, ...(body && { 'content-length': body.length }) };
      const sent = request({ port, host: '127.0.0.1', method, path, headers: all, agent, localAddress }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces) }));
        if (/event-stream/.test(answer.headers['content-type'] ?? '')) setTimeout(() => sent.destroy(), STREAM_MS);
      });
      sent.setTimeout(PATIENCE_MS, () => sent.destroy());
      sent.on('error', () => resolve({ status: 0, body: Buffer.alloc(0) }));
      sent.end(body);
    });

  return {
    port,
    send,
    ask,
    askNumber: async (what: 'hold' | 'memory') => Number(await ask(what)),
    printed: () => printed,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
