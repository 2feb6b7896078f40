import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BusyTurns } from '../../../../test/support/service/busy-turns.js';
import { AT_ONCE, type Turns } from '../../http/server/connections/turns.js';
import type { CopyForSendfile } from '../off-heap-file.js';
import { openSendfile } from '../sendfile.js';
import { FastPath } from './fast-path.js';

/** More responses than the buffers of a connection can hold. */
const MANY = 400;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-fast-path-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const copied = async () => async () => null;
const inPlace = () => openSendfile(folder);
const ways: readonly (readonly [string, number, () => Promise<CopyForSendfile>, Turns?])[] = [
  ['copied', 256, copied],
  // Responses of 48 KiB are so small that the connection still reads requests while some of them are unread.
  ['copied', 48, copied],
  ['sent from a file', 256, inPlace],
  ['sent from a file', 48, inPlace],
  ['copied on connections that take turns', 48, copied, new BusyTurns()],
];

describe.each(ways)('When responses are %s and have %d KiB,', (_, kib, open, turns = AT_ONCE) => {
  const BODY = Buffer.from(Uint32Array.from({ length: kib * 256 }, (_, n) => n).buffer);
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length}\r\n`;
  let copyForSendfile: CopyForSendfile;
  let server: Server;
  let answered: number;
  let near: Socket;

  beforeAll(async () => {
    copyForSendfile = await open();
  });
  beforeEach(async () => {
    answered = 0;
    const fastPath = new FastPath({
      handler: {
        forward: () => null,
        cachedResponse: () => {
          answered++;
          return { head, body: BODY, status: 200, onSent: null };
        },
        answer: () => false,
      },
      handOver: (socket) => socket.destroy(),
      turnsOf: () => turns,
      firstRequestMs: 20_000,
      keepAliveMs: 65_000,
      writeTimeoutMs: 20_000,
      copyForSendfile,
    });
    server = createServer({ allowHalfOpen: true }, (socket) => {
      near = socket;
      fastPath.accept(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const connection = () => connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nhost: a.example\r\n\r\n');

  it('a client that closes its half of the connection after its request still gets the response', async () => {
    const socket = connection();
    socket.end('GET / HTTP/1.1\r\nhost: a.example\r\n\r\n');
    const answer = await buffer(socket);
    expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(BODY)).toBe(true);
    expect(answered).toBe(1);
  });

  it('a client that sends many requests receives every response in full', async () => {
    const sockets = Array.from({ length: 4 }, connection);
    await Promise.all(
      sockets.map(async (socket) => {
        const bodies = bodiesOf(socket, BODY.length);
        for (let n = 0; n < 50; n++) {
          ask(socket);
          expect((await bodies.next()).value?.equals(BODY)).toBe(true);
        }
        socket.destroy();
      }),
    );
  }, 30_000);

  it('a client that sends requests without reading gets no more responses until it reads', async () => {
    const socket = connection();
    socket.pause();
    let asked = 0;
    // Send requests one at a time, because the fast path does not handle two requests in one chunk.
    for (let before = -1; answered > before; await delay(answered === asked ? 0 : 300)) {
      before = answered;
      ask(socket);
      asked++;
      for (let tries = 0; answered < asked && tries < 100; tries++) await delay(5);
      if (asked === MANY) break;
    }
    expect(answered).toBeLessThan(MANY);

    const bodies = bodiesOf(socket, BODY.length);
    for (let n = 0; n < asked; n++) expect((await bodies.next()).value?.equals(BODY)).toBe(true);
    expect(answered).toBe(asked);
    socket.destroy();
  }, 30_000);

  it('a client that sends a request while still reading a response receives the next response afterwards', async () => {
    const socket = connection();
    const bodies = bodiesOf(socket, BODY.length);
    for (let round = 0; round < 5; round++) {
      let asked = 0;
      do {
        ask(socket);
        for (asked++; answered < asked; ) await delay(1);
      } while (near.writableLength === 0 && asked < MANY);
      // Send a request as soon as data arrives, so that it reaches the server in the same turn in which the connection
      // becomes writable.
      socket.once('readable', () => ask(socket));
      for (let n = 0; n < asked + 1; n++) expect((await bodies.next()).value?.equals(BODY)).toBe(true);
      answered = 0;
    }
    socket.destroy();
  }, 30_000);

  it('a client that disconnects in the middle of a response does not affect other clients', async () => {
    const [leaving, staying] = [connection(), connection()];
    leaving.pause();
    const bodies = bodiesOf(staying, BODY.length);
    for (let n = 0; n < 20; n++) {
      if (n < 10) ask(leaving);
      if (n === 10) leaving.resetAndDestroy();
      ask(staying);
      expect((await bodies.next()).value?.equals(BODY)).toBe(true);
    }
    staying.destroy();
  }, 30_000);
});

async function* bodiesOf(socket: Socket, length: number): AsyncGenerator<Buffer, undefined> {
  let received = Buffer.alloc(0);
  for await (const bytes of socket) {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n') + 4;
      if (end < 4 || received.length < end + length) break;
      yield received.subarray(end, end + length);
      received = received.subarray(end + length);
    }
  }
  return undefined;
}
