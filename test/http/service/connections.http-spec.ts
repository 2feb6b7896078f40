import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

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
}, 60_000);
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
/** An error comes before the end of a connection that was reset. */
const closed = (socket: Socket) => new Promise<boolean>((resolve) => socket.once('close', () => resolve(false)));
const ask = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;

describe('Requests that are sent ahead', () => {
  const MANY = 20_000;

  it.each([
    ['of the service', () => ask('/health', `localhost:${stele.port}`)],
    ['of a large file', () => ask('/large.bin', `${slug}.localhost:${stele.port}`)],
  ])(
    '%s keep nobody waiting, however many',
    async (_, request) => {
      const greedy = open();
      // One that reads its answers, so that it gets as many as the others let it have.
      greedy.resume();
      greedy.write(request().repeat(MANY));
      await once(greedy, 'data');
      for (let n = 0; n < 10; n++) await stele.api.get('/v1/limits').expect(200);
    },
    15_000,
  );
});
