import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AT_ONCE } from '../../http/server/connections/turns.js';
import { FastPath } from './fast-path.js';

const SMALL = Buffer.alloc(1_000, 'x');
/** More bytes than the buffers of a connection can hold. */
const LARGE = Buffer.alloc(16_000_000, 'x');

type Told = {
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly peer: string;
};

describe('The traffic report about a cached response', () => {
  let told: Told[];
  let isTold: () => void;
  let server: Server;
  beforeEach(async () => {
    told = [];
    isTold = () => undefined;
    const fastPath = new FastPath({
      handler: {
        forward: () => null,
        cachedResponse: ({ url }) => {
          const body = url === '/large' ? LARGE : url === '/none' ? null : SMALL;
          return {
            head: `HTTP/1.1 200 OK\r\ncontent-length: ${body?.length ?? 0}\r\n`,
            body,
            status: 200,
            onSent: (request, status, bytes, _at, ms, peer) => {
              told.push({ url: request.url, status, bytes, ms, peer });
              isTold();
            },
          };
        },
        answer: () => false,
      },
      handOver: (socket) => socket.destroy(),
      turnsOf: () => AT_ONCE,
      firstRequestMs: 20_000,
      keepAliveMs: 65_000,
      writeTimeoutMs: 20_000,
      copyForSendfile: async () => null,
    });
    server = createServer({ allowHalfOpen: true }, (socket) => fastPath.accept(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const connection = () => connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  const head = (url: string) => `GET ${url} HTTP/1.1\r\nhost: a.example\r\n\r\n`;
  const tells = () => new Promise<void>((resolve) => (isTold = resolve));

  it('the report contains the content size as soon as the response has been sent', async () => {
    const socket = connection();
    for (const url of ['/', '/none']) {
      const next = tells();
      socket.write(head(url));
      await next;
    }
    expect(told).toEqual([
      { url: '/', status: 200, bytes: 1_000, ms: 0, peer: '127.0.0.1' },
      { url: '/none', status: 200, bytes: 0, ms: 0, peer: '127.0.0.1' },
    ]);
    socket.destroy();
  });

  it('once a slow client has read everything, the report contains the full size and the duration', async () => {
    const socket = connection();
    const next = tells();
    socket.write(head('/large'));
    let read = 0;
    socket.on('data', ({ length }) => {
      read += length;
    });
    await next;
    expect(told).toEqual([
      { url: '/large', status: 200, bytes: LARGE.length, ms: expect.any(Number), peer: '127.0.0.1' },
    ]);
    expect(told[0]?.ms).toBeGreaterThan(0);
    while (read < LARGE.length) await once(socket, 'data');
    socket.destroy();
  });

  it('if a client disconnects midway, a single report contains the number of bytes that were sent', async () => {
    const socket = connection();
    const next = tells();
    socket.write(head('/large'));
    await once(socket, 'readable');
    socket.resetAndDestroy();
    await next;
    expect(told).toHaveLength(1);
    expect(told[0]?.bytes).toBeGreaterThan(0);
    expect(told[0]?.bytes).toBeLessThan(LARGE.length);
    expect(told[0]?.peer).toBe('127.0.0.1');
  });
});
