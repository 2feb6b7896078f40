import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SteleWithPrograms, startWithPrograms } from '../../support/programs/programs.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';

type Route = (request: IncomingMessage, response: ServerResponse) => void;

const routes: Record<string, Route> = {
  '/': (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>running'),
  '/echo': async (request, response) => {
    const { method, url, headers, rawHeaders } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, rawHeaders, body: await text(request) }));
  },
  '/headers': (_request, response) =>
    response
      .writeHead(200, [
        ...['service-worker-allowed', '/', 'clear-site-data', '"*"', 'x-accel-redirect', '/etc/passwd'],
        ...['connection', 'x-hop', 'x-hop', 'secret', 'alt-svc', 'h3=":1"', 'x-powered-by', 'me'],
        ...['set-cookie', 'a=1; Path=/', 'set-cookie', 'b=2; Domain=localhost', 'set-cookie', 'stele_visitor=x'],
        ...['set-cookie', '__Host-stele_session=x; Secure; Path=/', 'set-cookie', '=stele_visitor=x'],
        ...['cache-control', 'public, max-age=60', 'access-control-allow-origin', 'https://a.example'],
      ])
      .end('headers'),
  '/chunks': async (_request, response) => {
    response.write('one ');
    await once(routes.onGoOn as never, 'go');
    response.end('two');
  },
};

describe('A site whose deploy is a program', () => {
  let stele: SteleWithPrograms;
  let program: Server;
  const socketPath = join(tmpdir(), `stele-program-${process.pid}.sock`);
  let last = { host: '' };

  beforeAll(async () => {
    const listener: RequestListener = (request, response) => {
      last = { host: request.headers.host ?? '' };
      const route = routes[(request.url ?? '/').split('?', 1)[0] ?? '/'];
      if (route) route(request, response);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('none of mine');
    };
    program = createServer(listener).listen(socketPath);
    stele = await startWithPrograms();
    await stele.run('runs', { socketPath });
  }, 60_000);
  afterAll(async () => {
    await stele?.remove();
    program?.close();
    program?.closeAllConnections();
  });

  const ask = (...args: Parameters<ReturnType<typeof rawRequestsTo>>) =>
    rawRequestsTo(stele.port, `runs.localhost:${stele.port}`)(...args);

  it('is answered by it', async () => {
    for (let n = 0; n < 3; n++) {
      const { status, body, headers } = await ask('/');
      expect([status, String(body)]).toEqual([200, '<h1>running']);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'origin-agent-cluster': '?1' });
    }
    expect(last.host).toBe(`runs.localhost:${stele.port}`);
  });
});
