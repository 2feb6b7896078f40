import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { QuickLane } from './quick-lane.js';

const BODY = Buffer.alloc(256 * 1024, 'x');
const head = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length}\r\n`;
const MANY = 200;

let server: Server;
let answered: number;

beforeEach(async () => {
  answered = 0;
  const lane = new QuickLane({
    keeper: {
      atHand: () => {
        answered++;
        return { head, body: BODY };
      },
      answer: () => false,
    },
    handOver: (socket) => socket.destroy(),
    firstMs: 20_000,
    keepAliveMs: 65_000,
  });
  server = createServer({ allowHalfOpen: true }, (socket) => lane.take(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.close();
  await once(server, 'close');
});

it('Who asks on and takes nothing is not answered for ever, but goes on where they were once they take it', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  socket.pause();
  let asked = 0;
  // One at a time, as two in one piece are not plain.
  for (let before = -1; answered > before; await delay(answered === asked ? 0 : 300)) {
    before = answered;
    socket.write('GET / HTTP/1.1\r\nhost: a.example\r\n\r\n');
    asked++;
    for (let tries = 0; answered < asked && tries < 100; tries++) await delay(5);
    if (asked === MANY) break;
  }
  expect(answered).toBeLessThan(MANY);

  let taken = 0;
  socket.on('data', (bytes) => {
    taken += bytes.length;
  });
  socket.resume();
  while (answered < asked) await delay(5);
  while (taken < asked * BODY.length) await delay(5);
  socket.destroy();
}, 30_000);
