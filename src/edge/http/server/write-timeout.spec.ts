import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { enforceWriteTimeout } from './write-timeout.js';

const PIECE = 'x'.repeat(64 * 1024);

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
    enforceWriteTimeout(response, 300);
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
    const response = await asked(200);
    let bytes = 0;
    let pauses = 0;
    for await (const piece of response) {
      bytes += piece.length;
      // Each pause is shorter than the timeout, but together they are longer.
      if (bytes > pauses * 2_000_000 && pauses++ < 6) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(pauses).toBeGreaterThanOrEqual(6);
    expect(bytes).toBe(200 * PIECE.length);
  });
});
