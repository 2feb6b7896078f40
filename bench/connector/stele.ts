import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outbox, signInLink } from '../outbox.ts';
import { ANNOUNCED_PORT, inRoot, startOptions } from '../product.ts';
import { type Answer, HttpClient } from './http-client.ts';

/** Starts the product as `npm start` does, with its PostgreSQL, in a temporary folder. `file` is the entry point. */
export async function startStele(file = 'dist/bundled/start.js', env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stele-connector-'));
  const child = spawn(process.execPath, [...startOptions, file], {
    cwd: inRoot(''),
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
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      printed += chunk;
      const found = ANNOUNCED_PORT.exec(printed)?.[1];
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
    pid: child.pid ?? 0,
    /** Connection options of the database. */
    database: { host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele' },
    async stop() {
      client.close();
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type RunningStele = Awaited<ReturnType<typeof startStele>>;
export type ConnectedSite = Awaited<ReturnType<typeof connectedSite>>;

/** Creates a site with an owner and an enabled connector. Returns bearer headers of the owner and of an agent. */
export async function connectedSite({ client }: Pick<RunningStele, 'client'>) {
  const done = async <Body>(asking: Promise<Answer<Body>>): Promise<Body> => {
    const { status, body } = await asking;
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const email = `bench-${process.hrtime.bigint()}@example.org`;
  await done(client.post('/v1/auth/start', { email }));
  const { pathname, search } = signInLink(await done(client.get<Outbox>('/dev/outbox.json')), email);
  const { token } = await done(client.get<{ token: string }>(pathname + search));
  const owner = { authorization: `Bearer ${token}` };
  const files = [{ path: 'index.html', content: '<h1>Bench</h1>' }];
  const { slug } = await done(client.post<{ slug: string }>('/v1/deploy', { files }, owner));
  await done(client.post(`/v1/sites/${slug}/capabilities`, { name: 'connector', enabled: true }, owner));
  const path = `/v1/sites/${slug}/connector/tokens`;
  const agent = await done(client.post<{ token: string }>(path, { name: 'bench' }, owner));
  return { slug, owner, agent: { authorization: `Bearer ${agent.token}` } };
}
