import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { RawServer } from '../../support/servers/raw-server.js';
import { type SteleWithServers, startWithServers } from '../../support/servers/stand-in-servers.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';

const OF_SITE = 1_000;

describe('WebSockets to a site’s server', () => {
  let stele: SteleWithServers;
  let program: Server;
  const socketPath = join(tmpdir(), `stele-sockets-${process.pid}.sock`);

  beforeAll(async () => {
    program = createServer((_request, response) => response.end('no WebSocket here'));
    const sockets = new WebSocketServer({ noServer: true });
    program.on('upgrade', (request, socket, head) => {
      if (request.url === '/refused') return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.send(JSON.stringify(request.headers));
        client.on('message', (data) => (String(data) === '"end"' ? client.close(4_001) : client.send(String(data))));
      });
    });
    program.listen(socketPath);
    stele = await startWithServers();
    await stele.run('talks', { socketPath });
  }, 180_000);
  afterAll(async () => {
    await stele?.remove();
    program?.close();
    program?.closeAllConnections();
  });

  const host = (slug = 'talks') => `${slug}.localhost:${stele.port}`;
  const client = (path = '/', headers = {}) =>
    new WebSocketClient(`http://127.0.0.1:${stele.port}${path}`, { host: host(), ...headers });

  it('messages travel in both directions until either side closes', async () => {
    const socket = client('/any?path', { cookie: 'a=b; stele_visitor=x', 'x-forwarded-for': '1.2.3.4' });
    const [headers] = await socket.until(() => true);
    expect(headers).toMatchObject({ host: host(), cookie: 'a=b', 'x-forwarded-for': '127.0.0.1' });
    const long = 'long '.repeat(100_000);
    socket.say({ long });
    await socket.until((message) => message.long === long);
    socket.say('"end"');
    expect(await socket.closed).toBe(4_001);
  });

  it('the server can refuse a WebSocket with its own response', async () =>
    expect(await client('/refused').closed).toBe(403));

  it('a WebSocket to a site without a server is refused', async () => {
    await stele.raw.post('/v1/deploy?slug=plain').send({ files: [{ path: 'index.html', content: 'x' }] });
    expect(await new WebSocketClient(stele.base, { host: host('plain') }).closed).toBe(404);
    expect(await new WebSocketClient(stele.base, { host: host('nobody') }).closed).toBe(404);
  });

  it('a WebSocket request returns 502 if the server sends garbage or does not respond', async () => {
    for (const said of ['garbage\r\n\r\n', 'HTTP/1.1 101 S\r\na: b\nc\r\n\r\n']) {
      const raw = await RawServer.start((socket) => void socket.end(said));
      await stele.run('garbage', { socketPath: raw.socketPath });
      expect(await new WebSocketClient(stele.base, { host: host('garbage') }).closed).toBe(502);
      await raw.stop();
      expect(await new WebSocketClient(stele.base, { host: host('garbage') }).closed).toBe(502);
    }
  });

  it('a WebSocket request with a body is treated as an ordinary request', async () => {
    const socket = connect(stele.port, '127.0.0.1');
    const fields = ['connection: upgrade', 'upgrade: websocket', 'content-length: 9', 'sec-websocket-version: 13'];
    socket.write(`GET / HTTP/1.1\r\nhost: ${host()}\r\n${fields.join('\r\n')}\r\n\r\nsmuggled!`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
  });

  it('the number of WebSockets per site is limited, and further clients are told to retry later', async () => {
    const raw = await RawServer.start(
      (socket) => void socket.write('HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
    await stele.run('crowd', { socketPath: raw.socketPath });
    const open = async (): Promise<[number, Socket]> => {
      const socket = connect(stele.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nhost: ${host('crowd')}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
      const [bytes] = await once(socket, 'data');
      return [Number(String(bytes).slice(9, 12)), socket];
    };
    const all = await Promise.all(Array.from({ length: OF_SITE + 50 }, open));
    const statuses = all.map(([status]) => status);
    expect(statuses.filter((status) => status === 101)).toHaveLength(OF_SITE);
    expect(statuses.filter((status) => status === 503)).toHaveLength(50);
    const another = client();
    await another.until(() => true);
    for (const [, socket] of all) socket.destroy();
    await stele
      .visit('crowd', '/')
      .set('connection', 'close')
      .timeout(1_000)
      .catch(() => undefined);
    await raw.stop();
  }, 180_000);
});
