import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

/** Documented maximum number of connections per address. */
const OF_ADDRESS = 1_024;

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let slug: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  temporary = await temporaryFolder('connections');
  stele = await startStele({ folder: temporary.folder, env: { STELE_RATE_LIMITS: 'on' } });
  const content = Buffer.alloc(2_000_000, 'x').toString('base64');
  const files = [{ path: 'large.bin', content, encoding: 'base64' }];
  ({
    body: { slug },
  } = await stele.api.post('/v1/deploy').send({ files }).expect(200));
}, 180_000);
afterEach(async () => {
  const open = sockets.splice(0).filter(({ closed }) => !closed);
  for (const socket of open) socket.destroy();
  await Promise.all(open.map(closed));
});
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

function open(localAddress = '127.0.0.1') {
  const socket = connect({ port: stele.port, host: '127.0.0.1', localAddress });
  sockets.push(socket.on('error', () => undefined));
  return socket;
}
/** Resolves when a connection has closed. A reset connection first emits an error. */
const closed = (socket: Socket) => new Promise<boolean>((resolve) => socket.once('close', () => resolve(false)));
const heard = (socket: Socket) => new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)));
const ask = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;

describe('Pipelined requests', () => {
  const MANY = 20_000;

  it.each([
    ['to the service', () => ask('/health', `localhost:${stele.port}`)],
    ['for a large file', () => ask('/large.bin', `${slug}.localhost:${stele.port}`)],
  ])(
    'pipelined requests %s do not delay other clients, however many there are',
    async (_, request) => {
      const greedy = open();
      // The client reads its responses, so the service keeps handling its requests, but only with the capacity that
      // other clients leave.
      greedy.resume();
      greedy.write(request().repeat(MANY));
      await once(greedy, 'data');
      for (let n = 0; n < 10; n++) await stele.api.get('/v1/limits').expect(200);
    },
    15_000,
  );
});

describe('Connections from one address', () => {
  it('the number of connections from one IP address is limited, without affecting other addresses', async () => {
    const all = Array.from({ length: OF_ADDRESS }, () => open());
    await Promise.all(all.map((socket) => once(socket, 'connect')));
    const one = open();
    await closed(one.resume());

    const other = open('127.0.0.2');
    other.write(ask('/v1/limits', `localhost:${stele.port}`));
    const [answer] = await once(other, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);

    all[0]?.destroy();
    for (;;) {
      const next = open();
      next.write(ask('/v1/limits', `localhost:${stele.port}`));
      if (await Promise.race([heard(next), closed(next)])) break;
    }
  }, 30_000);
});
