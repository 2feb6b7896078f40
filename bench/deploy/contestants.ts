import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Agent, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANNOUNCED_PORT, mainFile, pinnedNode, startOptions } from '../product.ts';
import { headers } from './bodies.ts';

export type Contestant = Awaited<ReturnType<typeof start>>;

/** Starts a server in its own process and folder. Returns a function that sends it a body. */
export async function start(name: string, parent: string) {
  const folder = join(parent, name);
  await mkdir(folder);
  const isStele = name === 'stele';
  const peer = fileURLToPath(new URL(name === 'bare' ? 'bare.ts' : 'peers.ts', import.meta.url));
  const env = isStele ? { PORT: '0', STELE_DATA: folder, STELE_ANONYMOUS_MAX_FILES: '2000' } : {};
  const child = spawn(pinnedNode, isStele ? [...startOptions, mainFile] : [peer, name, folder], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const port = await portOf(child, isStele ? ANNOUNCED_PORT : /^(\d+)$/m);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const options = { agent, port, method: 'POST', path: isStele ? '/v1/deploy' : '/', headers };
  return {
    name,
    pid: child.pid ?? 0,
    send: (body: Buffer, kind: Record<string, string> = headers) => send({ ...options, headers: kind }, body),
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function portOf(child: ChildProcess, pattern: RegExp): Promise<number> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const onOutput = (text: Buffer) => {
      printed += text;
      const port = pattern.exec(printed)?.[1];
      if (port) resolve(Number(port));
    };
    for (const output of [child.stdout, child.stderr]) output?.on('data', onOutput);
    child.on('exit', () => reject(new Error(printed)));
  });
}

/** Sends a body and waits for the complete response. Any status but 200 ends the bench. */
function send(options: RequestOptions & { headers: Record<string, string> }, body: Buffer): Promise<object> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: { ...options.headers, 'content-length': body.length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
