import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOSE, PING, PONG, RawWebSocket, TEXT } from '../../support/service/raw-web-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
beforeAll(async () => {
  temporary = await temporaryFolder('floods');
  stele = await sharedStele({ folder: temporary.folder });
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

/**
 * Much longer than a refused connection stays open, and shorter than the 30 s for which `ws` waits for a client to
 * close.
 */
const SOON_MS = 25_000;

describe('WebSocket floods', () => {
  it('a WebSocket responds to pings', async () => {
    const client = new RawWebSocket(stele.port).send(PING, 'here?');
    expect(String((await client.first(PONG)).payload)).toBe('here?');
    client.cut();
  });

  it.each([
    ['too many pings', 1008, (client: RawWebSocket) => client.send(PING, 'x'.repeat(125), 10_000)],
    ['too many messages', 1008, (client: RawWebSocket) => client.send(TEXT, '{"op":"nothing"}', 10_000)],
    ['a frame of an unknown kind', 1002, (client: RawWebSocket) => client.send(5)],
    ['a message that is not UTF-8', 1007, (client: RawWebSocket) => client.send(TEXT, Buffer.from([0xff]))],
  ])(
    'a WebSocket that sends %s is closed with code %d, even if the client keeps sending',
    async (_, code, send) => {
      const client = new RawWebSocket(stele.port);
      send(client);
      expect(await client.closing()).toBe(code);
      expect(client.frames.filter(({ opcode }) => opcode === CLOSE)).toHaveLength(1);
      const flood = setInterval(() => client.socket.writableNeedDrain || client.send(TEXT, '{}', 10_000), 1);
      await client.closed;
      clearInterval(flood);
    },
    SOON_MS,
  );

  it('floods of messages are not logged as server errors', () => {
    expect(stele.printed()).not.toMatch(/ERROR|Error:/);
  });
});
