import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bareHttpServer, closeServer } from '../../../../../test/support/service/bare-http-server.js';
import { BusyTurns } from '../../../../../test/support/service/busy-turns.js';
import { openNodeConnections } from './node-connections.js';
import { AT_ONCE } from './turns.js';

const HOST = 'host: stele.example\r\n';
const SITE = 'host: otter.sites.example\r\n';
const get = (path: string, fields = HOST) => `GET ${path} HTTP/1.1\r\n${fields}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HOST}content-length: ${body.length}\r\n\r\n${body}`;
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

describe.each([
  ['by itself', AT_ONCE],
  ['taking turns with others from its address', new BusyTurns()],
])('A connection without the fast path, %s,', (_, turns) => {
  let server: Server;
  let begun: string[];
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  let onBegun: () => void;
  const opened: Socket[] = [];

  beforeEach(async () => {
    begun = [];
    onBegun = () => undefined;
    handle = (_request, response) => void response.end();
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      begun.push(request.url ?? '');
      onBegun();
      handle(request, response);
    };
    server = await bareHttpServer(answer, {
      turnsOf: () => turns,
      openConnections: openNodeConnections,
      handler: {
        cachedResponse: () => null,
        forward: () => null,
        takesWebSocket: () => false,
        answer: (request, response) => {
          if (request.headers.host !== 'otter.sites.example') return false;
          request.resume();
          answer(request, response);
          return true;
        },
      },
    });
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await closeServer(server);
  });

  function open(): Socket {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true);
    opened.push(socket);
    return socket;
  }

  /** Holds back each response until the test sends it. */
  function keepResponses() {
    const kept: ServerResponse[] = [];
    handle = (_request, response) => void kept.push(response);
    const first = new Promise<void>((resolve) => {
      onBegun = resolve;
    });
    return { kept, first };
  }

  it('the server handles each request only after the response to the previous one', async () => {
    const many = Array.from({ length: 80 }, (_, n) => `/${n}`);
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

  it('only the first hundred of many pipelined requests get a response, then the connection is closed', async () => {
    const { kept, first } = keepResponses();
    const socket = open();
    socket.write(get('/').repeat(300));
    await first;
    handle = (_request, response) => void response.end();
    kept[0]?.end();
    const answered = statuses(await text(socket)).length;
    expect(answered).toBe(100);
    expect(begun).toHaveLength(answered);
  });

  it('only the first hundred of many pipelined requests with bodies get a response before the connection closes', async () => {
    handle = async (request, response) => response.end(String(await buffer(request)));
    const socket = open();
    socket.write(post('/', 'body').repeat(300));
    expect((await text(socket)).match(/\r\n\r\nbody/g)).toHaveLength(100);
  });

  it('bodies are complete and responses are in order, wherever the packet boundaries are', async () => {
    handle = async (request, response) => {
      const body = String(await buffer(request));
      if (request.url === '/last') response.setHeader('connection', 'close');
      response.end(`[${request.url} ${body}]`);
    };
    const bodies = ['', 'a', get('/no-request'), 'x'.repeat(3_000)];
    const sent = [...bodies.flatMap((body, n) => [post(`/p${n}`, body), get(`/g${n}`)]), get('/last')].join('');
    const expected = [...bodies.flatMap((body, n) => [`[/p${n} ${body}]`, `[/g${n} ]`]), '[/last ]'];
    for (const length of [sent.length, 7, 501]) {
      const socket = open();
      const answer = text(socket);
      for (let at = 0; at < sent.length; at += length) {
        socket.write(sent.slice(at, at + length));
        await nextTurn();
      }
      const answered = [...(await answer).matchAll(/\r\n\r\n(\[.*?\])(?=HTTP\/1\.1|$)/gs)].map(([, body]) => body);
      expect(answered).toEqual(expected);
    }
  });

  it.each([
    ['after a request', get('/')],
    ['after a body', post('/', 'body')],
  ])('outstanding responses are sent before the server refuses malformed data %s', async (_, before) => {
    const { kept, first } = keepResponses();
    const socket = open();
    socket.write(`${before}no request\r\n\r\n`);
    await first;
    await nextTurn();
    socket.write('more of it\r\n\r\n');
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

  it.each([
    ['with “Connection: close”', get('/', `${HOST}connection: close\r\n`)],
    ['that names two hosts', get('/', `${HOST}${SITE}`)],
  ])('after a request %s, the connection is closed and later requests are ignored', async (_, request) => {
    const socket = open();
    socket.write(request + get('/never').repeat(50));
    expect(statuses(await text(socket))).toEqual(['200']);
    expect(begun).toEqual(['/']);
  });

  it('a visitor who has closed their half of the connection still gets the response', async () => {
    const { kept, first } = keepResponses();
    const socket = open();
    const answer = text(socket);
    socket.end(get('/', SITE));
    await first;
    await nextTurn();
    await nextTurn();
    kept[0]?.end('answered');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*answered$/);
  });

  it('an API client that has closed its half of the connection counts as disconnected', async () => {
    const { kept, first } = keepResponses();
    const socket = open();
    socket.end(get('/'));
    await first;
    await new Promise((resolve) => kept[0]?.once('close', resolve));
    expect(await text(socket)).toBe('');
  });

  it('a connection becomes a WebSocket only after the responses to earlier requests have been sent', async () => {
    const { kept, first } = keepResponses();
    const socket = open();
    server.on('upgrade', (_request, upgraded) => upgraded.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    socket.write(get('/before') + get('/v1/live', `${HOST}connection: upgrade\r\nupgrade: websocket\r\n`));
    await first;
    handle = (_request, response) => void response.writeHead(404).end();
    kept[0]?.end();
    expect(statuses(await text(socket))).toEqual(['200', '404']);
  });
});
