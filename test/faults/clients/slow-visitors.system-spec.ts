// needs: database

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const LARGE = 12_000_000;
const READERS = 300;
const HALF_OPEN = 500;

describe('Stalled visitors', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const open: Socket[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('slow');
    stele = await startStele({ folder: temporary.folder });
    const content = Buffer.alloc(LARGE, 'x').toString('base64');
    const files = [
      { path: 'large.bin', content, encoding: 'base64' },
      { path: 'index.html', content: 'here' },
    ];
    await stele.api.post('/v1/deploy?slug=slow').send({ files }).expect(200);
  }, 60_000);
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await stele?.stop();
    await temporary.remove();
  });

  async function connected(bytes: string): Promise<Socket> {
    const socket = connect(stele.port, '127.0.0.1');
    // A reset counts as a disconnection.
    socket.on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  const head = (path: string, host = `slow.localhost:${stele.port}`) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n`;

  async function slowReader() {
    const socket = await connected(`${head('/large.bin')}\r\n`);
    socket.pause();
    return socket;
  }

  const letGo = (socket: Socket) => {
    socket.resume();
    return socket.closed ? Promise.resolve() : once(socket, 'close');
  };

  /**
   * Reports whether the service still holds the connection, according to proc_net(5). A client that does not read
   * does not notice when the service disconnects it.
   */
  async function isHeld({ localPort }: Socket) {
    const hex = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0');
    const ends = new RegExp(`^ *\\d+: \\w+:${hex(stele.port)} \\w+:${hex(localPort)} 01 `, 'm');
    return ends.test(await readFile('/proc/net/tcp', 'utf8'));
  }

  async function memoryMiB() {
    const { text } = await stele.raw.get('/metrics').expect(200);
    return Number(/process_resident_memory_bytes (\d+)/.exec(text)?.[1]) / 1_048_576;
  }

  it('hundreds of visitors who stop reading or sending do not delay other visitors, and use little memory', async () => {
    const before = await memoryMiB();
    const many = [
      ...Array.from({ length: READERS }, slowReader),
      ...Array.from({ length: HALF_OPEN }, () => connected(head('/'))),
    ];
    await Promise.all(many);

    const times: number[] = [];
    const health = rawRequestsTo(stele.port, `localhost:${stele.port}`);
    const page = rawRequestsTo(stele.port, `slow.localhost:${stele.port}`);
    for (let n = 0; n < 100; n++) {
      const began = performance.now();
      expect((await health('/health')).status).toBe(200);
      times.push(performance.now() - began);
      expect((await page('/')).body.toString()).toBe('here');
    }
    times.sort((a, b) => a - b);
    // On an idle machine, a request takes less than a second, as promised. Waiting for slow clients would take much
    // longer.
    expect(times[98]).toBeLessThan(5_000);
    // Buffering all requested bytes would need more than ten times this memory.
    expect((await memoryMiB()) - before).toBeLessThan((READERS * LARGE) / 1_048_576 / 10);
    for (const socket of open.splice(0)) socket.destroy();
  }, 240_000);

  it('visitors are disconnected if they read nothing, never finish a request, or send only part of a body', async () => {
    const reader = await slowReader();
    const [asking, silent] = [await connected(head('/')), await connected('')];
    const sending = await connected(
      `POST /v1/deploy HTTP/1.1\r\nhost: localhost:${stele.port}\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\n<p>`,
    );
    const said: string[] = [];
    for (const socket of [asking, sending])
      socket.on('data', (bytes) => said.push(String(bytes).split('\r\n')[0] ?? ''));
    await Promise.all([asking, silent, sending].map(letGo));
    while (await isHeld(reader)) await setTimeout(250);
    let taken = 0;
    reader.on('data', (bytes) => (taken += bytes.length));
    await letGo(reader);
    expect(taken).toBeLessThan(LARGE);
    expect(said).toEqual(['HTTP/1.1 408 Request Timeout', 'HTTP/1.1 408 Request Timeout']);
  }, 240_000);

  it('visitors who keep reading, however slowly, receive the whole response', async () => {
    const socket = await connected(`${head('/large.bin')}connection: close\r\n\r\n`);
    let taken = 0;
    socket.on('data', (bytes) => {
      taken += bytes.length;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    await once(socket, 'close');
    expect(taken).toBeGreaterThan(LARGE);
  }, 240_000);
});
