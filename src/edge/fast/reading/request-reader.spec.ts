import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { bareHttpServer, closeServer } from '../../../../test/support/service/bare-http-server.js';
import { BusyTurns } from '../../../../test/support/service/busy-turns.js';
import { AT_ONCE } from '../../http/server/connections/turns.js';

const HOST = 'host: stele.example\r\n';

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HOST}content-length: ${body.length}\r\n\r\n${body}`;
const chunked = (path: string, ...chunks: string[]) =>
  `POST ${path} HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n${[...chunks, '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}`;

describe.each([
  ['by itself', AT_ONCE],
  ['taking turns with others from its address', new BusyTurns()],
])('A connection of Node’s server, %s,', (_, turns) => {
  let server: Server;
  let begun: string[];
  let handle: (request: IncomingMessage, response: ServerResponse) => void;

  beforeEach(async () => {
    begun = [];
    handle = (_request, response) => void response.end();
    server = await bareHttpServer(
      (request, response) => {
        begun.push(request.url ?? '');
        handle(request, response);
      },
      { turnsOf: () => turns },
    );
  });
  afterEach(async () => {
    // Destroy the sockets, because closing the server does not close half-open sockets.
    for (const socket of opened.splice(0)) socket.destroy();
    await closeServer(server);
  });

  const opened: Socket[] = [];
  const open = () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true);
    opened.push(socket);
    return socket;
  };
  const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

  /** Holds back each response until the test sends it. */
  function keepResponses() {
    const kept: ServerResponse[] = [];
    const { promise: first, resolve } = Promise.withResolvers<void>();
    handle = (_request, response) => {
      kept.push(response);
      resolve();
    };
    return { kept, first };
  }

  it('the server handles each of many requests only after the response to the previous one', async () => {
    const many = Array.from({ length: 2_000 }, (_, n) => `/${n}`);
    const { kept, first } = keepResponses();
    const socket = open();
    socket.write(many.map((path) => get(path)).join(''));
    await first;
    await nextTurn();
    expect(begun).toEqual(['/0']);

    handle = ({ url }, response) => {
      if (url === many.at(-1)) response.setHeader('connection', 'close');
      setImmediate(() => response.end());
    };
    kept[0]?.end();
    expect(statuses(await text(socket))).toHaveLength(many.length);
    expect(begun).toEqual(many);
  });

  it('bodies are complete and responses are in order, wherever the packet boundaries are', async () => {
    handle = async (request, response) => {
      const body = String(await buffer(request));
      if (request.url === '/last') response.setHeader('connection', 'close');
      response.end(`[${request.url} ${body}]`);
    };
    const bodies = ['', 'a', '\r\n\r\n'.repeat(900), get('/no-request'), 'x'.repeat(3_000)];
    const sent = [
      ...bodies.flatMap((body, n) => [post(`/p${n}`, body), get(`/g${n}`), get(`/h${n}`)]),
      ...bodies.slice(1).map((body, n) => chunked(`/c${n}`, body, body)),
      get('/last'),
    ].join('');
    const expected = [
      ...bodies.flatMap((body, n) => [`[/p${n} ${body}]`, `[/g${n} ]`, `[/h${n} ]`]),
      ...bodies.slice(1).map((body, n) => `[/c${n} ${body}${body}]`),
      '[/last ]',
    ];
    for (const length of [sent.length, 7, 501, 1_460]) {
      const socket = open();
      const answer = text(socket);
      for (let at = 0; at < sent.length; at += length) {
        socket.write(sent.slice(at, at + length));
        if (length < 1_000) await nextTurn();
      }
      const answered = [...(await answer).matchAll(/\r\n\r\n(\[.*?\])(?=HTTP\/1\.1|$)/gs)].map(([, body]) => body);
      expect(answered).toEqual(expected);
    }
  });

  it.each([
    ['is not a request', 'no request\r\n\r\n'],
    ['follows a body and is not a request', null],
  ])('outstanding responses are sent before the server refuses data that %s', async (_, malformed) => {
    const { kept, first } = keepResponses();
    const socket = open();
    socket.write(malformed === null ? `${post('/', 'body')}no request\r\n\r\n` : get('/') + malformed);
    await first;
    await nextTurn();
    kept[0]?.end('answered');
    const answer = await text(socket);
    expect(statuses(answer)).toEqual(['200', '400']);
    expect(answer).toContain('answered');
  });

  it('a request is refused immediately if the body being read is malformed', async () => {
    keepResponses();
    const socket = open();
    socket.write(`POST / HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\nzz\r\n`);
    expect(statuses(await text(socket))).toEqual(['400']);
  });

  it('requests that follow a response with “Connection: close” are ignored', async () => {
    const { kept, first } = keepResponses();
    const socket = open();
    const sent = get('/', 'connection: close\r\n') + get('/never').repeat(10_000);
    socket.write(sent);
    await first;
    while ((kept[0]?.socket?.bytesRead ?? 0) < sent.length) await nextTurn();
    kept[0]?.end('answered');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*answered$/);
    expect(begun).toEqual(['/']);
  });

  it('when a connection becomes a WebSocket, bytes that arrived with the handshake are kept', async () => {
    const heard = Promise.withResolvers<string>();
    server.on('upgrade', (_request, socket, head) => {
      socket.on('error', () => undefined).unshift(head);
      socket.once('data', (bytes: Buffer) => {
        heard.resolve(String(bytes));
        // Node’s server no longer tracks this socket, so closing the server would not close the socket.
        socket.destroy();
      });
    });
    const socket = open();
    socket.write(`${get('/before')}${get('/v1/live', 'connection: upgrade\r\nupgrade: websocket\r\n')}frames`);
    expect(await heard.promise).toBe('frames');
    expect(begun).toEqual(['/before']);
    socket.destroy();
  });
});

it('A body in tiny chunks, which Node parses slowly, is parsed over several turns of the event loop', async () => {
  const body = Promise.withResolvers<string>();
  const turns = new BusyTurns();
  const take = jest.spyOn(turns, 'take');
  const server = await bareHttpServer(
    async (request, response) => {
      response.setHeader('connection', 'close').flushHeaders();
      body.resolve(String(await buffer(request)));
      response.end();
    },
    { turnsOf: () => turns },
  );
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }).setNoDelay(true);
  socket.write(chunked('/', ...'a'.repeat(4_000)));
  expect(await body.promise).toBe('a'.repeat(4_000));
  // The body has 24 kB and arrives in a few packets, but is parsed in pieces of 2 KiB.
  expect(take.mock.calls.length).toBeGreaterThan(8);
  await text(socket);
  await closeServer(server);
});

it('Malformed data is refused only after the responses to earlier requests, even if the server is busy', async () => {
  const asked: (() => void)[] = [];
  const turns = { take: (act: () => void) => asked.push(act) < 0, isOver: () => false };
  const responses: ServerResponse[] = [];
  const server = await bareHttpServer((_request, response) => void responses.push(response), { turnsOf: () => turns });
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }).setNoDelay(true);
  const answer = text(socket);
  const has = async (isSo: () => boolean) => {
    while (!isSo()) await nextTurn();
  };
  socket.write(get('/first'));
  // The fast path requests one turn (`Turns`) before it hands the connection over. The reader then requests another.
  await has(() => asked.length === 1);
  asked[0]?.();
  await has(() => asked.length === 2);
  asked[1]?.();
  await has(() => responses.length === 1);
  socket.write(`${post('/second', 'body')}no request\r\n\r\n`);
  await has(() => asked.length === 3);
  // One turn was requested when the data arrived, and another when the first response ended.
  responses[0]?.end('1');
  await has(() => asked.length === 4);
  asked[2]?.();
  await has(() => responses.length === 2);
  asked[3]?.();
  responses[1]?.end('2');
  await has(() => asked.length === 5);
  asked[4]?.();
  expect([...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200', '400']);
  await closeServer(server);
});
