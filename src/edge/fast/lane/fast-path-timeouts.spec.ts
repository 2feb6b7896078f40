import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, it } from '@jest/globals';
import { AT_ONCE } from '../../http/server/connections/turns.js';
import { FastPath } from './fast-path.js';

const SOON_MS = 100;
const LATE_MS = 60_000;

let server: Server;
let timeouts: { firstRequestMs: number; keepAliveMs: number; writeTimeoutMs: number };

beforeEach(async () => {
  server = createServer((socket) =>
    new FastPath({
      handler: {
        forward: () => null,
        cachedResponse: () => ({ head: 'HTTP/1.1 204 No Content\r\n', body: null, status: 204, onSent: null }),
        answer: () => false,
      },
      handOver: (handed) => handed.destroy(),
      turnsOf: () => AT_ONCE,
      copyForSendfile: async () => null,
      ...timeouts,
    }).accept(socket),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.close();
  await once(server, 'close');
});

const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');
const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nhost: a.example\r\n\r\n');

/** Returns a connection that has received a response. Retries, because a busy machine may close a connection first. */
async function answered(): Promise<Socket> {
  for (;;) {
    const socket = open().on('error', () => undefined);
    ask(socket);
    const data = new Promise((resolve) => socket.once('data', () => resolve(true)));
    const close = new Promise((resolve) => socket.once('close', () => resolve(false)));
    if (await Promise.race([data, close])) return socket;
  }
}

it('A connection that sends no request is closed on time, even if the write timeout is equally long', async () => {
  timeouts = { firstRequestMs: SOON_MS, keepAliveMs: LATE_MS, writeTimeoutMs: SOON_MS };
  await once(open(), 'close');
});

it('A connection that has received a response may stay silent for longer than a new one', async () => {
  timeouts = { firstRequestMs: SOON_MS, keepAliveMs: LATE_MS, writeTimeoutMs: SOON_MS };
  const asking = await answered();
  await once(open(), 'close');
  ask(asking);
  await once(asking, 'data');
  asking.destroy();
});

it('A connection that stays silent after a response is closed when its timeout expires', async () => {
  timeouts = { firstRequestMs: LATE_MS, keepAliveMs: SOON_MS, writeTimeoutMs: LATE_MS };
  const socket = open();
  ask(socket);
  await Promise.all([once(socket, 'data'), once(socket, 'close')]);
});
