import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatheringRequest } from './gathering-request.js';

describe('A chunked body', () => {
  let server: Server;
  let chunks: Buffer[];
  let wasCut: boolean;
  beforeEach(async () => {
    chunks = [];
    server = createServer({ IncomingMessage: GatheringRequest }, async (request, response) => {
      try {
        for await (const chunk of request.iterator({ destroyOnReturn: false })) chunks.push(chunk);
        response.end();
      } catch {
        wasCut = true;
      }
    });
    wasCut = false;
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  async function send(...sent: string[]) {
    const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(`${sent.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`);
    // Ignore this error: the server resets the connection of a request that it cuts off.
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    return Buffer.concat(chunks).toString();
  }

  it('a chunked body arrives completely and in order', async () => {
    const sent = Array.from({ length: 3_000 }, (_, index) => `${index}`.repeat(index % 7 === 0 ? 400 : 1));
    expect(await send(...sent)).toBe(sent.join(''));
  });

  it('a chunked body may be empty', async () => expect(await send()).toBe(''));

  it('a body of many tiny chunks is passed on in few large pieces', async () => {
    const sent = Array.from({ length: 50_000 }, (_, index) => `otter number ${index}\n`);
    expect(await send(...sent)).toBe(sent.join(''));
    expect(chunks.length).toBeLessThan(1_000);
  });

  it('a chunked body may begin with thousands of one-byte chunks', async () => {
    const sent = [...'o'.repeat(4_000), 'tter'.repeat(20_000), ...'o'.repeat(90)];
    expect(await send(...sent)).toBe(sent.join(''));
    expect(wasCut).toBe(false);
  });

  it('a body that consists only of one-byte chunks is cut off', async () => {
    expect((await send(...'otter'.repeat(10_000))).length).toBeLessThanOrEqual(4_096);
    expect(wasCut).toBe(true);
  });

  it('a body that is larger than the read buffer is received only as fast as it is consumed', async () => {
    const sent = Array.from({ length: 500 }, (_, index) => 'x'.repeat(index % 2 === 0 ? 1 : 20_000));
    expect((await send(...sent)).length).toBe(250 + 250 * 20_000);
  });
});
