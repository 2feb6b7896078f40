import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { PING, PONG, RawWebSocket, TEXT } from '../../../test/support/service/raw-web-socket.js';
import type { Caller } from '../../kernel/command-context.js';
import { LiveGateway, messageParser, SocketAuthenticator } from './live.gateway.js';
import { LiveStreamServer } from './live-streams.js';

class Strangers extends SocketAuthenticator {
  readonly #stranger = async (): Promise<Caller> => ({ editTokenHash: null, userId: null });
  of = () => this.#stranger;
  with = () => this.#stranger;
  problemOf = () => ({});
}

/** More frames than a client may send within the limit's period. */
const TOO_MANY = 300;
const TRY_AGAIN_LATER = 1013;

/** The long timeout keeps a client that does not close its side connected until the test has checked the count. */
const options = { port: 0, host: '127.0.0.1', autoPong: false, closeTimeout: 60_000 };

describe('The WebSocket gateway, limited to one connection per address', () => {
  let server: WebSocketServer;
  let received: number;
  const clients: RawWebSocket[] = [];

  beforeEach(async () => {
    received = 0;
    const live = new LiveStreamServer({
      store: new MemoryStore(),
      addressOf: () => 'one address',
      limits: { address: 1, session: 1, all: 10 },
    });
    const gateway = new LiveGateway(live, new Strangers());
    server = new WebSocketServer(options);
    server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
      gateway.handleConnection(socket, request);
      socket.on('message', (text) => {
        received++;
        gateway.frame(socket, messageParser(String(text)).data);
      });
    });
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.cut();
    for (const socket of server.clients) socket.terminate();
    server.close();
    await once(server, 'close');
  });

  const open = () => {
    const client = new RawWebSocket((server.address() as AddressInfo).port);
    clients.push(client);
    return client;
  };

  it('responds to pings with their data', async () => {
    const client = open().send(PING, 'here?');
    expect(String((await client.first(PONG)).payload)).toBe('here?');
  });

  it.each([
    ['messages', TEXT, '{}'],
    ['pings', PING, 'x'.repeat(125)],
    ['pongs', PONG, ''],
  ])('closes a connection that sends too many %s', async (_, opcode, payload) => {
    expect(await open().send(opcode, payload, TOO_MANY).closing()).toBe(1008);
  });

  it('stops reading from a connection that it closes', async () => {
    const client = open().send(TEXT, '{}', TOO_MANY);
    await client.closing();
    const before = received;
    expect(before).toBeLessThan(TOO_MANY);
    // Send more than the operating system buffers for a connection that nobody reads.
    for (let n = 0; n < 100 && !client.socket.writableNeedDrain; n++) client.send(TEXT, '{}', 100_000);
    await new Promise(setImmediate);
    expect(client.socket.writableNeedDrain).toBe(true);
    expect(received).toBe(before);
  });

  it('counts a connection until its socket is closed, even after the close frame was sent', async () => {
    const first = open().send(TEXT, '{}', TOO_MANY);
    await first.closing();
    expect(await open().closing()).toBe(TRY_AGAIN_LATER);
    first.cut();
    // The slot becomes free only when the server notices that the connection has ended.
    for (;;) {
      const next = open().send(PING);
      const frame = await Promise.race([next.first(PONG), next.closing()]);
      if (typeof frame !== 'number') return;
    }
  }, 30_000);
});
