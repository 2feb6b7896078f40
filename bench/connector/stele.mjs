import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOptions } from '../append/product.mjs';
import { HttpClient } from './http-client.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The whole product as `npm start` runs it, with its PostgreSQL, in a temporary folder. `options` are for Node; `file` is
 * what starts it.
 */
export async function startStele(options = [], file = 'dist/bundled/start.js', env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stele-connector-'));
  const child = spawn(process.execPath, [...startOptions, ...options, file], {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_ENV: 'production',
      PORT: '0',
      STELE_DATA: folder,
      STELE_BUILDER: 'none',
      STELE_STATUS_PROBES: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  const port = await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      printed += chunk;
      const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(printed)?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void ended.then(() => reject(new Error(printed)));
  });
  const client = new HttpClient(port);
  return {
    port,
    client,
    pid: child.pid,
    /** Where its database listens. */
    database: { host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele' },
    async stop() {
      client.close();
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A site with an owner and the connector switched on: the owner's bearer, and that of an agent. */
export async function connectedSite({ client }) {
  const done = async (asking) => {
    const { status, body } = await asking;
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const email = `bench-${process.hrtime.bigint()}@example.org`;
  await done(client.post('/v1/auth/start', { email }));
  const outbox = await done(client.get('/dev/outbox.json'));
  const { pathname, search } = new URL(outbox.find(({ to }) => to === email).links[0]);
  const { token } = await done(client.get(pathname + search));
  const owner = { authorization: `Bearer ${token}` };
  const files = [{ path: 'index.html', content: '<h1>Bench</h1>' }];
  const { slug } = await done(client.post('/v1/deploy', { files }, owner));
  await done(client.post(`/v1/sites/${slug}/capabilities`, { name: 'connector', enabled: true }, owner));
  const agent = await done(client.post(`/v1/sites/${slug}/connector/tokens`, { name: 'bench' }, owner));
  return { slug, owner, agent: { authorization: `Bearer ${agent.token}` } };
}
