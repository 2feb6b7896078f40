// needs: database, git, bubblewrap

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/servers.contract.js';
import { outputOf } from '../support/builds/servers-under-test.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { type Member, memberOf } from '../support/fleet/fleet-member.js';
import { HOSTILE } from '../support/servers/hostile-server.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const SAYS = server(`
  if (path === '/slow') await new Promise((resolve) => setTimeout(resolve, 500));
  return String(process.env.WORD ?? path);
`);

describe('Servers run by other processes', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let front: SteleWithServers;
  let workers: readonly Member[];

  beforeAll(async () => {
    database = await freshDatabase();
    temporary = await serversFolder('workers');
    const { folder } = temporary;
    const shared = { DATABASE_URL: databaseUrl(database.config), STELE_BUILDER: 'bubblewrap' };
    front = await startWithServers({ folder, env: { ...shared, STELE_ROLES: 'api,serve,projector' } });
    const at = `localhost:${front.port}`;
    const env = { ...shared, STELE_DATA: folder, STELE_BASE_URL: `http://${at}`, STELE_SITE_DOMAIN: at };
    workers = await Promise.all([1, 2].map(() => memberOf('worker', env)));
    await Promise.all(workers.map((worker) => worker.start()));
  }, 120_000);
  afterAll(async () => {
    await Promise.all((workers ?? []).map((worker) => worker.stop()));
    await front?.stop();
    await database?.drop();
    await temporary?.remove();
  }, 60_000);

  const listed = async (slug: string) => {
    const answer = await front.raw
      .get('/v1/admin/servers')
      .set('authorization', 'Bearer of-the-operator-of-tests')
      .expect(200);
    return answer.body.items.find((row: { readonly slug: string }) => row.slug === slug);
  };

  it('concurrent requests reach a server through the process that runs it', async () => {
    await front.publish('shared', 'next', (await outputOf(SAYS)).bytes);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => front.visit('shared', `/${n}`)));
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(answers.map((_, n) => `200 /${n}`));
    expect(await listed('shared')).toMatchObject({
      state: 'running',
      starts: 1,
      worker: expect.stringMatching(/^srv_/),
    });
  }, 60_000);

  it('WebSockets reach a server through the process that runs it, even after the server crashed', async () => {
    await front.publish('relayed', 'next', await standaloneOutput(HOSTILE, {}));
    const host = `relayed.localhost:${front.port}`;
    const ask = rawRequestsTo(front.port, host);
    expect(String((await ask('/hello')).body)).toBe('hello');
    const echoed = async () => {
      const socket = connect(front.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101/);
      socket.write('hello');
      const [said] = await once(socket, 'data');
      socket.destroy();
      return String(said);
    };
    expect(await echoed()).toBe('hello');
    for (let n = 0; n < 2; n++) {
      expect((await ask('/exit')).status).toBe(502);
      expect(String((await ask('/hello')).body)).toBe('hello');
      expect(await echoed()).toBe('hello');
    }
  }, 60_000);

  it('if a worker is killed, its servers run on another worker within half a minute', async () => {
    for (const worker of workers) {
      await front.visit('shared', '/before').expect(200);
      await worker.kill();
      const killedAt = performance.now();
      for (;;) {
        const { status } = await front.visit('shared', '/after');
        if (status === 200) break;
        expect([502, 503]).toContain(status);
        await delay(100);
      }
      expect(performance.now() - killedAt).toBeLessThan(30_000);
      await worker.start();
    }
    expect((await listed('shared')).starts).toBeGreaterThan(1);
  }, 120_000);

  it('a worker that is stopping hands over its servers immediately', async () => {
    for (const worker of workers) {
      await worker.stop();
      await front.visit('shared', '/after').expect(200);
      await worker.start();
    }
  }, 120_000);
});
