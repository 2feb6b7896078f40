// needs: database, git, redis, caddy

import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { caddyFor, through } from '../support/fleet/fleet-member.js';
import { reusablePort } from '../support/service/reusable-port.js';

/**
 * Less than Caddy's `lb_try_duration` of ten seconds, for which Caddy keeps trying to reach a lost process. A response
 * takes much less time, but a slow machine can pause for some seconds.
 */
const SOON_MS = 9_000;

/**
 * Starts a minimal server. It responds with an endless stream to `/stream`, disconnects during requests for `/leave`,
 * and responds normally to all others.
 */
async function upstream() {
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    if (request.url?.startsWith('/leave')) request.socket.destroy();
    else if (request.url === '/stream') response.write('more to come\n');
    else request.resume().on('end', () => response.end('yes'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('Caddy in front of two processes', () => {
  let servers: Server[];
  let caddy: Awaited<ReturnType<typeof caddyFor>>;
  let port: number;

  beforeEach(async () => {
    servers = await Promise.all([upstream(), upstream()]);
    port = await reusablePort();
    const members = servers.map((server) => ({ roles: 'api,serve', port: portOf(server) }));
    caddy = await caddyFor(port, members);
  }, 30_000);
  afterEach(async () => {
    await caddy?.stop();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  const visit = async () => {
    const began = performance.now();
    const { status } = await through(port).get('/');
    return { status, isSoon: performance.now() - began < SOON_MS };
  };

  async function watch() {
    const watching = get({ host: '127.0.0.1', port, path: '/stream', headers: { host: `localhost:${port}` } });
    watching.on('error', () => undefined);
    const [answer] = (await once(watching, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    await once(answer, 'data');
    return watching;
  }

  /** Sends an upload with invalid chunked encoding. Resolves when Caddy has responded or disconnected. */
  async function breakOff() {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/deploy HTTP/1.1\r\nhost: localhost:${port}\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n`,
    );
    await new Promise<void>((resolve) => {
      socket.once('data', () => resolve());
      socket.once('close', () => resolve());
    });
    socket.destroy();
  }

  it('a client that keeps aborting uploads does not affect other clients', async () => {
    const over = new AbortController();
    const breaking = (async () => {
      while (!over.signal.aborted) await breakOff();
    })();
    await breakOff();
    const answers = [];
    for (let n = 0; n < 10; n++) answers.push(await visit());
    over.abort();
    await breaking;
    expect(answers).toEqual(Array(10).fill({ status: 200, isSoon: true }));
  }, 120_000);

  it('when a process stops, its requests are soon sent to the other process', async () => {
    // Keeps connections to the remaining process open, so that choosing the process with the fewest connections would
    // choose the stopped one.
    const watching = await Promise.all(Array.from({ length: 6 }, watch));
    servers[0]?.close();
    servers[0]?.closeAllConnections();
    const ten = Array.from({ length: 10 });
    for (let turn = 0; turn < 3; turn++)
      expect(await Promise.all(ten.map(visit))).toEqual(ten.map(() => ({ status: 200, isSoon: true })));
    for (const each of watching) each.destroy();
  }, 120_000);

  it('no token is written to Caddy’s log', async () => {
    const tokens = { 'x-svc-edit-token': 'secret-in-header', referer: 'http://localhost/?token=secret-in-referer' };
    await through(port).post('/leave?ticket=secret-in-query').set(tokens).expect(502);
    while (!caddy.said().includes('/leave?…')) await delay(10);
    expect(caddy.said()).not.toContain('secret');
  }, 30_000);
});
