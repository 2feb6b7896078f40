// needs: database, git, bubblewrap

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { HOSTILE } from '../support/servers/hostile-server.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';

describe('Sharing server slots between owners', () => {
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    temporary = await serversFolder('shares');
    const env = { STELE_SERVERS: '2', STELE_SERVER_IDLE: '600', STELE_BUILDER: 'bubblewrap' };
    stele = await startWithServers({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await stele?.stop();
    await temporary?.remove();
  }, 60_000);

  async function webSocket(slug: string): Promise<Socket> {
    const socket = connect(stele.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    const host = `${slug}.localhost:${stele.port}`;
    socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101/);
    return socket;
  }
  const isRunning = async (slug: string) =>
    (await stele.api.get(`/v1/sites/${slug}`).expect(200)).body.server.state === 'running';

  it('if all server slots are in use, a waiting owner gets a slot from the owner who has the most', async () => {
    const output = await standaloneOutput(HOSTILE, {});
    const { bearer } = await signIn(stele, 'bob@example.org');
    const greedy = ['greedy-1', 'greedy-2', 'greedy-3'] as const;
    for (const slug of greedy) await stele.publish(slug, 'next', output);
    const open = [await webSocket('greedy-1'), await webSocket('greedy-2')];
    expect((await stele.visit('greedy-3')).status).toBe(503);

    const closed = open.map((socket) => once(socket, 'close'));
    await stele.publish('modest', 'next', output, bearer);
    const { status, text } = await stele.visit('modest');
    expect([status, text]).toEqual([200, 'hello']);
    await Promise.race(closed);

    // Visits to the greedy owner's sites do not stop the other owner's server.
    for (const slug of [...greedy, ...greedy]) await stele.visit(slug);
    expect(await isRunning('modest')).toBe(true);
    expect((await Promise.all(greedy.map(isRunning))).filter(Boolean)).toHaveLength(1);

    for (const socket of open) socket.destroy();
    while ((await stele.visit('greedy-3')).status !== 200);
    expect(await isRunning('modest')).toBe(true);
  }, 60_000);

  it('a WebSocket that has been silent for a minute does not keep its server running', async () => {
    const silent = await webSocket('greedy-3');
    const used = await webSocket('modest');
    const using = setInterval(() => used.write('still here'), 5_000);
    const closed = once(silent, 'close');
    expect((await stele.visit('greedy-1')).status).toBe(503);
    while ((await stele.visit('greedy-1')).status !== 200) await delay(500);
    clearInterval(using);
    await closed;
    expect(used.closed).toBe(false);
    expect(await isRunning('modest')).toBe(true);
  }, 120_000);
});
