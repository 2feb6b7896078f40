import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bareHttpServer, closeServer } from '../../../../test/support/service/bare-http-server.js';

/** Like the listeners of `ws` and Nest's adapter, accepts every upgrade, whatever its host. */
const gateway = (socket: Socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');

const CLOSE = { connection: 'close' };

describe('A WebSocket upgrade', () => {
  let server: Server;

  beforeEach(async () => {
    server = await bareHttpServer((_request, response) => response.writeHead(404, CLOSE).end('the service'), {
      handler: {
        forward: () => null,
        takesWebSocket: () => false,
        cachedResponse: () => null,
        answer: ({ headers }, response) => {
          if (!headers.host?.endsWith('.sites.example')) return false;
          response.writeHead(404, CLOSE).end('the site');
          return true;
        },
      },
    });
    server.on('upgrade', (_request, socket: Socket) => gateway(socket));
  });
  afterEach(() => closeServer(server));

  function ask(line: string, headers: readonly string[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write([line, 'connection: Upgrade', ...headers, '', ''].join('\r\n'));
    return text(socket);
  }
  const live = 'GET /v1/live HTTP/1.1';
  const webSocket = 'upgrade: websocket';

  it.each([
    ['as browsers write it', live, ['host: stele.example', webSocket]],
    ['in capitals', live, ['Host: STELE.example:80', 'UPGRADE: WebSocket']],
    ['among other protocols', live, ['host: stele.example', 'upgrade: h2c, websocket']],
    ['with a query', 'GET /v1/live?a=b HTTP/1.1', ['host: stele.example', webSocket]],
    ['with an absolute URL', 'GET http://stele.example/v1/live HTTP/1.1', ['host: stele.example', webSocket]],
  ])('an upgrade request to the service opens a WebSocket: %s', async (_, line, headers) =>
    expect(await ask(line, headers)).toContain(' 101 '),
  );

  it.each([
    ['to a site', live, ['host: otter.sites.example', webSocket], 'the site'],
    ['to an unknown host', live, ['host: evil.example', webSocket], 'the service'],
    ['to no host', live, [webSocket], 'the service'],
    ['to two hosts', live, ['host: stele.example', 'host: otter.sites.example', webSocket], 'the service'],
    ['to two hosts, ours last', live, ['host: otter.sites.example', 'host: stele.example', webSocket], 'the service'],
    [
      'to another host in its target',
      'GET http://otter.sites.example/v1/live HTTP/1.1',
      ['host: stele.example', webSocket],
      'the service',
    ],
    ['to another path', 'GET /v1/live/x HTTP/1.1', ['host: stele.example', webSocket], 'the service'],
    ['to the path in capitals', 'GET /V1/LIVE HTTP/1.1', ['host: stele.example', webSocket], 'the service'],
    ['to the path in percent-encoding', 'GET /v1/%6cive HTTP/1.1', ['host: stele.example', webSocket], 'the service'],
    ['to a path with ..', 'GET /s/../v1/live HTTP/1.1', ['host: stele.example', webSocket], 'the service'],
    ['by POST', 'POST /v1/live HTTP/1.1', ['host: stele.example', webSocket], 'the service'],
    ['to another protocol', live, ['host: stele.example', 'upgrade: h2c'], 'the service'],
    ['to a protocol with a similar name', live, ['host: stele.example', 'upgrade: websocket2'], 'the service'],
  ])(
    'an upgrade request %s is handled as an ordinary request and opens no WebSocket',
    async (_, line, headers, answeredBy) => {
      const answer = await ask(line, headers);
      expect(answer).toContain(' 404 ');
      expect(answer).toContain(answeredBy);
    },
  );
});

describe('A request that expects 100 Continue', () => {
  const HEAD = 'host: stele.example\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n';
  const REFUSED = { 'content-length': 7, ...CLOSE };

  async function ask(listener: RequestListener): Promise<string> {
    const server = await bareHttpServer(listener);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (seen.endsWith('100 Continue\r\n\r\n')) socket.write('body');
      if (seen.endsWith('refused') || seen.endsWith('body')) socket.destroy();
    });
    socket.write(`POST /v1/deploy HTTP/1.1\r\n${HEAD}`);
    await once(socket, 'close');
    await closeServer(server);
    return seen;
  }

  it('a request with “Expect: 100-continue” gets no 100 response if its headers are rejected', async () => {
    expect(await ask((_request, response) => response.writeHead(415, REFUSED).end('refused'))).toMatch(
      /^HTTP\/1\.1 415 /,
    );
  });

  it('a request with “Expect: 100-continue” gets no 100 response if its body would be discarded', async () => {
    const seen = await ask((request, response) => {
      request.resume();
      setImmediate(() => response.writeHead(405, REFUSED).end('refused'));
    });
    expect(seen).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('a request with “Expect: 100-continue” gets a 100 response when its body is first read', async () => {
    const seen = await ask(async (request, response) => {
      const body = await text(request);
      response.writeHead(200, CLOSE).end(body);
    });
    expect(seen).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*body/);
  });
});
