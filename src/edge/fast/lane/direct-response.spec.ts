import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildResponseFields } from '../../http/proxy/response-fields.js';
import { DirectResponse } from './direct-response.js';
import { plainRequest } from './plain-request.js';
import { ResponseCache } from './response-cache.js';

const request = plainRequest(Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));

describe('A response that bypasses Node’s ServerResponse', () => {
  const server = createServer();
  let visitor: Socket;
  let socket: Socket;
  let over: number;

  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    visitor = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1').setEncoding('latin1');
    [socket] = await once(server, 'connection');
    over = 0;
  });
  afterEach(async () => {
    visitor.destroy();
    socket.destroy();
    server.close();
    await once(server, 'close');
  });

  function answer() {
    if (!request) throw new Error('It is a plain request.');
    const responses = new ResponseCache('\r\n', async () => null);
    const { signal } = new AbortController();
    return new DirectResponse(
      request,
      socket,
      responses,
      false,
      signal,
      () => undefined,
      () => {
        over += 1;
      },
    );
  }

  it('a small response is sent, and finishes, only at the end of the current turn of the event loop', async () => {
    const small = answer();
    small.head(200, buildResponseFields(['a', 'b']), 2, 'req_1');
    small.write(Buffer.from('hi'));
    small.end();
    expect([over, socket.bytesWritten]).toEqual([0, 0]);
    const [text] = await once(visitor, 'data');
    expect(text).toMatch(
      /^HTTP\/1\.1 200 OK\r\na: b\r\nx-request-id: req_1\r\ncontent-length: 2\r\ndate: .*\r\n\r\nhi$/i,
    );
    expect(over).toBe(1);
  });

  it('the pieces of a response are sent in order', async () => {
    const long = answer();
    long.head(200, buildResponseFields([]), 5, 'req_1');
    long.write(Buffer.from('one'));
    long.write(Buffer.from('22'));
    long.end();
    expect(over).toBe(1);
    let text = '';
    while (!text.endsWith('one22')) text += String((await once(visitor, 'data'))[0]);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('a response never finishes if the visitor has disconnected', async () => {
    const small = answer();
    small.head(200, buildResponseFields([]), 2, 'req_1');
    small.write(Buffer.from('hi'));
    small.end();
    socket.destroy();
    await new Promise(setImmediate);
    expect(over).toBe(0);
  });
});
