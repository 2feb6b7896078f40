import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built, startOptions } from '../append/product.mjs';
import { headers } from './bodies.mjs';

/** All of them run on the Node that the product is pinned to. */
const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

/** A server in a process and a folder of its own, and a way to send it a body. */
export async function start(name, parent) {
  const folder = join(parent, name);
  await mkdir(folder);
  const [args, env, pattern] =
    name === 'stele'
      ? [
          [...startOptions, fileURLToPath(new URL('main.js', built))],
          { PORT: '0', STELE_DATA: folder, STELE_ANONYMOUS_MAX_FILES: '2000' },
          /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/,
        ]
      : [
          [fileURLToPath(new URL(name === 'bare' ? 'bare.mjs' : 'peers.mjs', import.meta.url)), name, folder],
          {},
          /^(\d+)$/m,
        ];
  const child = spawn(node, args, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const port = await portOf(child, pattern);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const options = { agent, port, method: 'POST', path: name === 'stele' ? '/v1/deploy' : '/', headers };
  return {
    name,
    pid: child.pid,
    send: (body, kind = headers) => send({ ...options, headers: kind }, body),
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function portOf(child, pattern) {
  let printed = '';
  return new Promise((resolve, reject) => {
    const onOutput = (text) => {
      printed += text;
      const port = pattern.exec(printed)?.[1];
      if (port) resolve(Number(port));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('exit', () => reject(new Error(printed)));
  });
}

/** Sends a body and waits for the whole answer. Anything but 200 ends the bench. */
function send(options, body) {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: { ...options.headers, 'content-length': body.length } }, (response) => {
      const chunks = [];
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
