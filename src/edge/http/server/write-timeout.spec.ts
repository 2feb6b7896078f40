import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { enforceWriteTimeout } from './write-timeout.js';

const PIECE = 'x'.repeat(64 * 1024);
const TIMEOUT_MS = 300;

describe('A long response', () => {
  const seen = new EventEmitter();
  let given = 0;
  async function* pieces(most: number) {
    try {
      for (given = 0; given < most; given++) yield PIECE;
    } finally {
      seen.emit('let go');
    }
  }
  const server = createServer((request, response) => {
    enforceWriteTimeout(response, TIMEOUT_MS);
    pipeline(Readable.from(pieces(Number(request.url?.slice(1))), { objectMode: false }), response).catch(
      heardElsewhere,
    );
  });
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => void server.close());

  const asked = async (count: number): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(get(`http://127.0.0.1:${port}/${count}`, { agent: false }), 'response');
    return response;
  };

  /** Reads a response with pauses. Each is shorter than the timeout, but together they are longer. */
  async function slowly(count: number) {
    const read = { bytes: 0, pauses: 0, longestMs: 0 };
    let at = performance.now();
    const response = await asked(count);
    try {
      for await (const piece of response) {
        read.bytes += piece.length;
        if (read.bytes > read.pauses * 2_000_000 && read.pauses++ < 6)
          await new Promise((resolve) => setTimeout(resolve, 100));
        read.longestMs = Math.max(read.longestMs, performance.now() - at);
        at = performance.now();
      }
    } catch {
      read.longestMs = Math.max(read.longestMs, performance.now() - at);
    }
    return read;
  }

  it('a response is cut off when its client stops reading, and its source is released', async () => {
    const letGo = once(seen, 'let go');
    const response = await asked(1_000_000);
    response.on('error', () => undefined).pause();
    await letGo;
    // Only the pieces that fit into the sockets' buffers were read.
    expect(given).toBeLessThan(1_000);
    response.destroy();
  });

  it('a response releases its source when its client disconnects', async () => {
    const letGo = once(seen, 'let go');
    const response = await asked(1_000_000);
    response.on('error', () => undefined).destroy();
    await letGo;
  });

  it('a response arrives completely if its client reads slowly, even if that takes longer than the timeout', async () => {
    let read = await slowly(200);
    // On a busy machine, a pause can exceed the timeout, so that the response is rightly cut off.
    while (read.longestMs >= TIMEOUT_MS) read = await slowly(200);
    expect(read.pauses).toBeGreaterThanOrEqual(6);
    expect(read.bytes).toBe(200 * PIECE.length);
  });
});
