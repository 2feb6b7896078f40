import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HOSTILE } from '../support/servers/hostile-server.js';
import { SteadyVisits } from '../support/servers/steady-visits.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

export type HostilePlace = {
  readonly kind: 'next' | 'container';
  readonly env: Readonly<Record<string, string>>;
  readonly programOf: (script: string) => Promise<Buffer>;
  readonly close: () => Promise<void>;
};

const OF_SITE = 1_000;
/** Content type of an error response that comes from the service, not from the server under test. */
const PROBLEM = { 'content-type': 'application/problem+json' };

export function hostileServers(name: string, open: () => Promise<HostilePlace>) {
  describe(name, () => {
    let place: HostilePlace;
    let temporary: Awaited<ReturnType<typeof serversFolder>>;
    let stele: SteleWithServers;
    let others: readonly SteadyVisits[] = [];

    beforeAll(async () => {
      place = await open();
      temporary = await serversFolder('hostile');
      stele = await startWithServers({
        folder: temporary.folder,
        env: place.env,
      });
      const bytes = await place.programOf(HOSTILE);
      for (const slug of ['hostile', 'well']) {
        await stele.publish(slug, place.kind, bytes);
        while ((await stele.visit(slug, '/hello')).status !== 200) await delay(100);
      }
      await stele.api.post('/v1/deploy?slug=with-files').send({ files: [{ path: 'index.html', content: 'files' }] });
      others = (
        [
          ['well', '/hello', 'hello'],
          ['with-files', '/', 'files'],
        ] as const
      ).map(
        ([slug, path, said]) =>
          new SteadyVisits(
            stele.port,
            host(slug),
            path,
            ({ status, body }) => status === 200 && String(body) === said,
            200,
          ),
      );
    }, 240_000);
    afterEach(async () => {
      // The server may have crashed in the previous test.
      while ((await stele.visit('hostile', '/hello')).status !== 200) await delay(250);
    }, 120_000);
    afterAll(async () => {
      const failed = await Promise.all(others.map((visits) => visits.end()));
      for (const { count, slowestMs } of others)
        console.log(`${name}: ${count} visits, the slowest ${Math.round(slowestMs)} ms`);
      await stele?.stop();
      await temporary?.remove();
      await place?.close();
      expect(failed).toEqual([[], []]);
    }, 60_000);

    const host = (slug: string) => `${slug}.localhost:${stele.port}`;
    const ask = (path: string) => rawRequestsTo(stele.port, host('hostile'))(path, { accept: 'application/json' });
    async function problemAt(path: string) {
      const { status, headers, body } = await ask(path);
      expect(headers).toMatchObject(PROBLEM);
      return `${status} ${JSON.parse(String(body)).code}`;
    }

    // Must be the first test: after many consecutive crashes, a restart is delayed for longer than a visitor waits.
    it('after a crash, a server is restarted for the next visitor', async () => {
      expect(await problemAt('/exit')).toBe('502 server_failed');
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/hello')));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      while (!(await stele.serverLog('hostile')).includes('Crashed: The server exited with code 7.'));
    }, 60_000);

    it('a server can’t reach the host machine, its gateways, the cloud metadata service or the internet', async () => {
      const listening = createServer((_, answer) => answer.end()).listen(0, '0.0.0.0');
      await once(listening, 'listening');
      const { port } = listening.address() as { port: number };
      const ours = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
      const hosts = ['1.1.1.1', '169.254.169.254', '10.88.0.1', '10.0.2.2', '172.17.0.1', '127.0.0.1', ...ours];
      for (const at of [port, stele.port, 80, 53]) {
        const said = String((await ask(`/reach/${hosts.join(',')}/${at}`)).body).split('\n');
        expect(said).toHaveLength(hosts.length);
        expect(said.filter((line) => /reached|timeout/.test(line))).toEqual([]);
      }
      expect(String((await ask('/resolve')).body)).toMatch(/^(EAI_AGAIN|ENOTFOUND)$/);
      listening.close();
    }, 60_000);

    it.each([
      ['garbage', '/garbage'],
      ['nothing and closes', '/early'],
      ['endless headers', '/headers'],
      ['endless interim responses', '/announcements'],
    ])('a server that sends %s causes a 502', async (_, path) => {
      expect(await problemAt(path)).toBe('502 server_failed');
      expect(String((await rawRequestsTo(stele.port, host('hostile'))(path, { accept: 'text/html' })).body)).toContain(
        'This site is not working right now',
      );
    });

    it('an unfinished response of a server is aborted', async () => {
      await expect(ask('/cut')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    });

    it('a server that never responds, or never completes the response head, causes a 504', async () => {
      expect(await Promise.all([problemAt('/silent'), problemAt('/trickle')])).toEqual([
        '504 server_timeout',
        '504 server_timeout',
      ]);
    }, 90_000);

    it('a server can fill only its own disk', async () => {
      expect(String((await ask('/disk')).body)).toMatch(/^(ENOSPC \d+|EDQUOT \d+)$/);
    }, 60_000);

    it('a server that uses too much memory is stopped, logs the reason, and is restarted', async () => {
      expect(await problemAt('/memory')).toBe('502 server_failed');
      while ((await ask('/hello')).status !== 200) await delay(100);
      const reason = 'Crashed: The server used more than 512 MiB of memory.';
      while (!(await stele.serverLog('hostile')).includes(reason)) await delay(100);
    }, 60_000);

    it('a server that keeps starting processes affects only its own visitors', async () => {
      const bomb = ask('/forks').catch(() => ({ status: 0 }));
      await delay(5_000);
      const { status } = await ask('/hello').catch(() => ({ status: 502 }));
      expect([200, 502, 503, 504]).toContain(status);
      expect([0, 502, 503, 504]).toContain((await bomb).status);
    }, 200_000);

    it('a server that keeps its CPU busy for four seconds still responds', async () => {
      expect((await ask('/busy')).status).toBe(200);
    }, 60_000);

    it('a flood of WebSocket requests to one server does not prevent other sites from opening WebSockets', async () => {
      const sockets: Socket[] = [];
      const open = async (slug: string): Promise<number> => {
        const socket = connect(stele.port, '127.0.0.1').on('error', () => undefined);
        sockets.push(socket);
        socket.write(`GET / HTTP/1.1\r\nhost: ${host(slug)}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
        const [bytes] = await once(socket, 'data');
        return Number(String(bytes).slice(9, 12));
      };
      const statuses: number[] = [];
      for (let n = 0; n < 40; n++)
        statuses.push(...(await Promise.all(Array.from({ length: 250 }, () => open('hostile')))));
      expect(statuses.filter((status) => status === 101)).toHaveLength(OF_SITE);
      expect(statuses.filter((status) => status === 503)).toHaveLength(10_000 - OF_SITE);
      expect(await open('well')).toBe(101);
      const [last] = sockets.slice(-1);
      last?.write('echo');
      expect(String((await once(last as Socket, 'data'))[0])).toBe('echo');
      for (const socket of sockets) socket.destroy();
    }, 120_000);
  });
}
