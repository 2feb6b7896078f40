import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openSendfile } from '../../../adapters/sendfile.js';
import type { CopyForSendfile } from '../../../kernel/ports/sendfile.js';
import { FastPath } from './fast-path.js';

/** More answers than any connection takes that nobody reads. */
const MANY = 400;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-lane-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const copied = async () => async () => null;
const inPlace = () => openSendfile(folder);
const ways: readonly (readonly [string, number, () => Promise<CopyForSendfile>])[] = [
  ['copied', 256, copied],
  // A rest of these is not so long that the connection would not be asked on.
  ['copied', 48, copied],
  ['sent from where they lie', 256, inPlace],
  ['sent from where they lie', 48, inPlace],
];

describe.each(ways)('With answers %s, of %d KiB,', (_, kib, open) => {
  /** No two pieces of it are the same, so that none can stand in another's place. */
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
        cachedResponse: () => {
          answered++;
          return { head, body: BODY };
        },
        answer: () => false,
      },
      handOver: (socket) => socket.destroy(),
      firstRequestMs: 20_000,
      keepAliveMs: 65_000,
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

  it('whoever asks often gets every answer whole', async () => {
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

  it('who asks on and takes nothing is not answered for ever, but goes on where they were once they take it', async () => {
    const socket = connection();
    socket.pause();
    let asked = 0;
    // One at a time, as two in one piece are not plain.
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

  it('who asks while they take the rest of an answer gets the next one after it', async () => {
    const socket = connection();
    const bodies = bodiesOf(socket, BODY.length);
    for (let round = 0; round < 5; round++) {
      let asked = 0;
      do {
        ask(socket);
        for (asked++; answered < asked; ) await delay(1);
      } while (near.writableLength === 0 && asked < MANY);
      // Of both, that there is room and that somebody asks, the lane hears in the same turn.
      socket.once('readable', () => ask(socket));
      for (let n = 0; n < asked + 1; n++) expect((await bodies.next()).value?.equals(BODY)).toBe(true);
      answered = 0;
    }
    socket.destroy();
  }, 30_000);

  it('who leaves in the middle of an answer takes nothing from the others', async () => {
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
  let held = Buffer.alloc(0);
  for await (const bytes of socket) {
    held = Buffer.concat([held, bytes]);
    for (;;) {
      const end = held.indexOf('\r\n\r\n') + 4;
      if (end < 4 || held.length < end + length) break;
      yield held.subarray(end, end + length);
      held = held.subarray(end + length);
    }
  }
  return undefined;
}
