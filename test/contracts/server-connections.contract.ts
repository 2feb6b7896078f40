import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Exchange, type RequestBody } from '../../src/edge/http/proxy/exchange.js';
import { buildResponseFields } from '../../src/edge/http/proxy/response-fields.js';
import type { ResponseHead } from '../../src/edge/http/proxy/response-head.js';
import type { ResponseFault, Taken } from '../../src/edge/http/proxy/response-receiver.js';
import type { ServerConnectionPool, ServerTimeouts } from '../../src/edge/http/proxy/server-connections.js';
import type { SinkEvents, VisitorSink } from '../../src/edge/http/proxy/visitor-sink.js';
import type { ServerAddress } from '../../src/kernel/ports/served-deploy.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const SHORT_ANSWER = `${OK}content-length: 2\r\n\r\nok`;
const LONG: ServerTimeouts = { firstByte: 60_000, idle: 120_000 };
const SHORT: ServerTimeouts = { firstByte: 160, idle: 320 };

let count = 0;

class KeptAnswer implements VisitorSink {
  events: SinkEvents | null = null;
  hasBegun = false;
  status = 0;
  fields: readonly string[] = [];
  length: number | null = null;
  body = '';
  isAborted = false;
  takes: Taken = 'sent';
  readonly #waiting: (() => void)[] = [];

  head(status: number, { list }: { readonly list: readonly string[] }, length: number | null) {
    Object.assign(this, { status, fields: list, length });
  }
  write(bytes: Buffer): Taken {
    this.hasBegun = true;
    this.body += bytes.toString('latin1');
    for (const look of this.#waiting) look();
    return this.takes;
  }
  flush() {
    this.hasBegun = true;
    for (const look of this.#waiting) look();
  }
  end() {
    this.hasBegun = true;
  }
  abort() {
    this.isAborted = true;
  }
  has(isSo: (answer: KeptAnswer) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => isSo(this) && resolve();
      this.#waiting.push(look);
      look();
    });
  }
}

type Asked = {
  readonly method?: string;
  readonly fields?: string;
  readonly body?: RequestBody;
  readonly sink?: KeptAnswer;
  readonly onSwitch?: (head: ResponseHead, socket: Socket, rest: Buffer) => void;
};

export function serverConnectionsContract(kind: string, make: (timeouts: ServerTimeouts) => ServerConnectionPool) {
  describe(`${kind} to site servers`, () => {
    const ends: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    /** Starts a server. When data arrives, `onText` gets the connection and all text received on it so far. */
    async function serving(onText: (socket: Socket, text: string) => void, timeouts = LONG, isLocal = true) {
      const sockets = new Set<Socket>();
      let connections = 0;
      const server: Server = createServer((socket) => {
        connections += 1;
        sockets.add(socket.on('error', () => undefined));
        let text = '';
        socket.on('data', (bytes) => {
          text += bytes.toString('latin1');
          onText(socket, text);
        });
      });
      const socketPath = join(tmpdir(), `stele-contract-${process.pid}-${++count}.sock`);
      if (isLocal) server.listen(socketPath);
      else server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const connectionsToIt = make(timeouts);
      ends.push(async () => {
        connectionsToIt.close();
        for (const socket of sockets) socket.destroy();
        server.close();
        await once(server, 'close');
      });
      const address: ServerAddress = isLocal
        ? { socketPath }
        : { host: '127.0.0.1', port: (server.address() as AddressInfo).port, key: 'the-key' };
      return {
        sockets,
        connections: () => connections,
        ask: (asked?: Asked) => ask(connectionsToIt, address, asked),
      };
    }

    function ask(connections: ServerConnectionPool, address: ServerAddress, asked: Asked = {}) {
      const { method = 'GET', fields = '', body = null, sink = new KeptAnswer(), onSwitch = null } = asked;
      return new Promise<{ readonly sink: KeptAnswer; readonly fault: ResponseFault | null }>((resolve) => {
        new Exchange({
          connections,
          address,
          request: { method, head: `${method} /a?b HTTP/1.1\r\nhost: a.example\r\n${fields}`, body },
          sink,
          fieldsOf: (head) => buildResponseFields(head.fields),
          requestId: 'req_1',
          onOver: (fault) => resolve({ sink, fault }),
          onSwitch,
        });
      });
    }

    /** Sends `answer` in response to each complete request without a body. */
    const each = (answer: string) => {
      const answered = new WeakMap<Socket, number>();
      return (socket: Socket, text: string) => {
        const heads = text.split('\r\n\r\n').length - 1;
        for (let n = answered.get(socket) ?? 0; n < heads; n++) socket.write(answer, 'latin1');
        answered.set(socket, heads);
      };
    };

    it('the request line and header fields are sent unchanged, and response fields are returned in order', async () => {
      let head = '';
      const { ask } = await serving((socket, text) => {
        head = text;
        if (text.endsWith('\r\n\r\n'))
          socket.write(
            `${OK}X-One: \xe9\r\nset-cookie: a\r\nSet-Cookie: b\r\nconnection: x-own\r\nx-own: 1\r\ncontent-length: 2\r\n\r\nok`,
            'latin1',
          );
      });
      const { sink, fault } = await ask({ fields: 'X-One: a\r\nx-two: \xe9\r\nX-One: b\r\n' });
      expect(fault).toBeNull();
      expect(sink).toMatchObject({ status: 200, body: 'ok', length: 2 });
      expect(sink.fields).toEqual(['X-One', '\xe9', 'set-cookie', 'a', 'Set-Cookie', 'b']);
      expect(head.replace(/connection: keep-alive\r\n/i, '')).toBe(
        'GET /a?b HTTP/1.1\r\nhost: a.example\r\nX-One: a\r\nx-two: \xe9\r\nX-One: b\r\n\r\n',
      );
    });

    it('connections are reused for requests that can be repeated safely', async () => {
      const { ask, connections } = await serving(each(SHORT_ANSWER));
      for (let n = 0; n < 5; n++) expect((await ask()).sink.body).toBe('ok');
      expect(connections()).toBe(1);
      expect((await ask({ method: 'POST' })).sink.body).toBe('ok');
      expect(connections()).toBe(2);
    });

    it('a connection to a server that another process runs begins with the shared key', async () => {
      let first = '';
      const { ask } = await serving(
        (socket, text) => {
          first = text;
          if (text.endsWith('\r\n\r\n')) socket.write(SHORT_ANSWER);
        },
        LONG,
        false,
      );
      expect((await ask()).sink.body).toBe('ok');
      expect(first).toMatch(/^the-key\nGET \/a\?b HTTP\/1\.1\r\n/);
    });

    it.each([
      ['with its known length', 8, /\r\ncontent-length: 8\r\n(?:.+\r\n)*\r\none, two$/i],
      ['in chunks', null, /\r\ntransfer-encoding: chunked\r\n(?:.+\r\n)*\r\n5\r\none, \r\n3\r\ntwo\r\n0\r\n\r\n$/i],
    ])('a request body is sent %s', async (_, length, whole) => {
      const { ask } = await serving((socket, text) => {
        if (whole.test(text)) socket.write(SHORT_ANSWER);
      });
      const stream = new PassThrough();
      stream.write('one, ');
      setImmediate(() => stream.end('two'));
      const { sink, fault } = await ask({ method: 'POST', body: { stream, length } });
      expect([sink.status, sink.body, fault]).toEqual([200, 'ok', null]);
    });

    it('`connection: close` is never sent, even with a request that can’t be repeated', async () => {
      let head = '';
      const { ask } = await serving((socket, text) => {
        head = text;
        if (text.includes('\r\n\r\n')) socket.write(SHORT_ANSWER);
      });
      expect((await ask({ method: 'DELETE' })).sink.body).toBe('ok');
      expect(head).not.toMatch(/connection: close/i);
    });

    it.each([
      ['a length', `${OK}content-length: 5\r\n\r\nhello`],
      ['chunks', `${OK}transfer-encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\ntrailer: a\r\n\r\n`],
      [
        'interim responses before it',
        `${'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(3)}${OK}content-length: 5\r\n\r\nhello`,
      ],
    ])('a response with %s is returned, however it is split into packets', async (_, answer) => {
      for (const length of [1, 7, answer.length]) {
        const { ask } = await serving(async (socket, text) => {
          if (!text.endsWith('\r\n\r\n')) return;
          socket.setNoDelay(true);
          for (let at = 0; at < answer.length; at += length) {
            socket.write(answer.slice(at, at + length));
            await new Promise(setImmediate);
          }
        });
        const { sink, fault } = await ask();
        expect([sink.status, sink.body, fault]).toEqual([200, 'hello', null]);
        expect(sink.fields).toEqual([]);
      }
    });

    it.each(['HTTP/1.1 200 OK', 'HTTP/1.0 200 OK'])(
      'a response of %s without a length ends with the connection',
      async (line) => {
        const { ask } = await serving((socket, text) => {
          if (text.endsWith('\r\n\r\n')) socket.end(`${line}\r\n\r\nuntil closed`);
        });
        const { sink, fault } = await ask();
        expect([sink.body, sink.length, fault]).toEqual(['until closed', null, null]);
      },
    );

    it.each([
      ['GET', 204],
      ['GET', 304],
      ['HEAD', 200],
    ])('responses to %s with status %d have no content', async (method, status) => {
      const { ask } = await serving(each(`HTTP/1.1 ${status} x\r\ncontent-length: 4\r\n\r\n`));
      const { sink, fault } = await ask({ method });
      expect([sink.status, sink.length, sink.body, fault]).toEqual([status, 4, '', null]);
    });

    it('the head of a response is forwarded before its body', async () => {
      const { ask } = await serving(each(`${OK}content-type: text/event-stream\r\n\r\n`));
      const sink = new KeptAnswer();
      void ask({ sink });
      await sink.has(({ hasBegun }) => hasBegun);
      expect([sink.status, sink.body]).toEqual([200, '']);
      sink.events?.onGone();
    });

    it.each([
      ['garbage', 'not http at all\r\n\r\n'],
      ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
      ['HTTP/0.9', 'HTTP/0.9 200 OK\r\ncontent-length: 0\r\n\r\n'],
      ['line feeds alone', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
      ['a line feed in a value', `${OK}a: b\nset-cookie: c\r\ncontent-length: 0\r\n\r\n`],
      ['a carriage return in a value', `${OK}a: b\rc\r\ncontent-length: 0\r\n\r\n`],
      ['a folded line', `${OK}a: b\r\n c: d\r\ncontent-length: 0\r\n\r\n`],
      ['a space before a colon', `${OK}content-length : 0\r\n\r\n`],
      ['a NUL', `${OK}a: \0\r\ncontent-length: 0\r\n\r\n`],
      ['a line without a colon', `${OK}nothing\r\ncontent-length: 0\r\n\r\n`],
      ['a length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
      ['two lengths', `${OK}content-length: 0\r\ncontent-length: 0\r\n\r\n`],
      ['two lengths in one field', `${OK}content-length: 0, 0\r\n\r\n`],
      ['a length with a sign', `${OK}content-length: +0\r\n\r\n`],
      ['another transfer coding', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
      ['a status beyond the range', 'HTTP/1.1 999 OK\r\ncontent-length: 0\r\n\r\n'],
      ['a chunk without a size', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
      ['too many interim responses', 'HTTP/1.1 103 x\r\n\r\n'.repeat(17)],
      ['an endless head', `${OK}a: ${'b'.repeat(100_000)}`],
      ['a protocol that was not requested', 'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
      ['another protocol without a name', 'HTTP/1.1 101 x\r\n\r\n'],
    ])('a response with %s is rejected as malformed, and no part of it is forwarded', async (_, answer) => {
      const { ask } = await serving(each(answer));
      const { sink, fault } = await ask();
      expect(fault?.kind).toBe('malformed');
      expect(sink).toMatchObject({ body: '', hasBegun: false });
    });

    it.each([
      ['a body of known length', `${OK}content-length: 100\r\n\r\nonly this`],
      ['a chunk', `${OK}transfer-encoding: chunked\r\n\r\n64\r\nonly this`],
    ])('a response that ends in the middle of %s is aborted', async (_, answer) => {
      const { ask } = await serving((socket, text) => {
        if (text.endsWith('\r\n\r\n')) socket.end(answer);
      });
      const { sink, fault } = await ask();
      expect(fault?.kind).toBe('closed');
      expect(sink).toMatchObject({ body: 'only this', isAborted: true });
    });

    it('an error is reported if the server closes the connection before or within the response head', async () => {
      for (const answer of ['', `${OK}a: b`]) {
        const { ask } = await serving((socket, text) => {
          if (text.endsWith('\r\n\r\n')) socket.end(answer);
        });
        expect((await ask()).fault?.kind).toBe('closed');
      }
    });

    it('a server that is missing, or does not listen yet, is reported as unreachable', async () => {
      const nowhere = { socketPath: join(tmpdir(), 'stele-contract-nowhere.sock') };
      expect((await ask(make(LONG), nowhere)).fault?.kind).toBe('unreachable');
      const { ask: askEarly } = await serving((socket) => void socket.end('\0'));
      expect((await askEarly()).fault?.kind).toBe('unreachable');
    });

    it('a request is retried once if the connection closes before any part of the response arrives', async () => {
      let first = true;
      const { ask, connections } = await serving((socket, text) => {
        if (!text.endsWith('\r\n\r\n')) return;
        if (text.split('\r\n\r\n').length > 2) return void socket.destroy();
        socket.write(SHORT_ANSWER);
        first = false;
      });
      expect((await ask()).sink.body).toBe('ok');
      expect(first).toBe(false);
      // This request reuses the connection. The server closes it without a response, so the service opens a second one.
      expect((await ask()).sink.body).toBe('ok');
      expect(connections()).toBe(2);
    });

    it('extra data after a response is discarded, and the connection is not reused', async () => {
      const { ask, connections } = await serving(each(`${SHORT_ANSWER}${OK}content-length: 4\r\n\r\nevil`));
      for (let n = 0; n < 3; n++) expect((await ask()).sink.body).toBe('ok');
      expect(connections()).toBe(3);
    });

    it('an idle connection is closed if the server sends data on it', async () => {
      const { ask, sockets } = await serving(each(SHORT_ANSWER));
      expect((await ask()).sink.body).toBe('ok');
      const [socket] = sockets;
      socket?.write(`${OK}content-length: 4\r\n\r\nlate`);
      await once(socket ?? new PassThrough(), 'close');
      expect((await ask()).sink.body).toBe('ok');
    });

    it('a connection is closed after `connection: close`', async () => {
      const { ask, connections } = await serving(each(`${OK}connection: close\r\ncontent-length: 2\r\n\r\nok`));
      for (let n = 0; n < 3; n++) expect((await ask()).sink.body).toBe('ok');
      expect(connections()).toBe(3);
    });

    it('a connection is handed over to the caller when the server switches protocols', async () => {
      const { ask } = await serving((socket, text) => {
        if (text.endsWith('\r\n\r\n'))
          socket.write('HTTP/1.1 101 x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nx: y\r\n\r\nfirst');
        else if (text.endsWith('ping')) socket.write('pong');
      });
      const { promise, resolve } = Promise.withResolvers<[readonly string[], string, Socket]>();
      void ask({
        fields: 'connection: Upgrade\r\nupgrade: websocket\r\n',
        onSwitch: ({ fields }, socket, rest) => resolve([fields, String(rest), socket]),
      });
      const [fields, rest, socket] = await promise;
      expect([fields, rest]).toEqual([['x', 'y'], 'first']);
      socket.write('ping');
      expect(String((await once(socket, 'data'))[0])).toBe('pong');
      socket.destroy();
    });

    it('a response is read from the server only as fast as the visitor reads it', async () => {
      const { ask, sockets } = await serving((socket, text) => {
        if (text.endsWith('\r\n\r\n')) socket.end(`${OK}content-length: 8000000\r\n\r\n${'x'.repeat(8_000_000)}`);
      });
      const sink = new KeptAnswer();
      sink.takes = 'full';
      const over = ask({ sink });
      await sink.has(({ body }) => body.length > 0);
      const [socket] = sockets;
      const atFirst = sink.body.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(sink.body.length).toBe(atFirst);
      expect(socket?.writableLength).toBeGreaterThan(0);
      sink.takes = 'sent';
      sink.events?.onDrain();
      await over;
      expect(sink.body).toHaveLength(8_000_000);
    });

    it('the connection to the server is closed when the visitor disconnects', async () => {
      const { ask, sockets } = await serving(each(`${OK}content-length: 10\r\n\r\nbegun`));
      const sink = new KeptAnswer();
      const over = ask({ sink });
      await sink.has(({ body }) => body === 'begun');
      const [socket] = sockets;
      const closed = once(socket ?? new PassThrough(), 'close');
      sink.events?.onGone();
      expect((await over).fault).toBeNull();
      await closed;
    });

    it('an error is reported if the server stalls before or within its response', async () => {
      const { ask: askMute } = await serving(() => undefined, SHORT);
      expect((await askMute()).fault?.kind).toBe('timeout');
      const { ask: askBegun } = await serving(each(`${OK}content-length: 10\r\n\r\nbegun`), SHORT);
      let { sink, fault } = await askBegun();
      // On a slow machine, even the first bytes of the response may arrive too late.
      for (let n = 0; n < 5 && sink.body === ''; n++) ({ sink, fault } = await askBegun());
      expect([fault?.kind, sink.body, sink.isAborted]).toEqual(['timeout', 'begun', true]);
    });

    it('an error is reported if the visitor does not send the rest of a body', async () => {
      const { ask } = await serving(() => undefined, SHORT);
      const stream = new PassThrough();
      stream.write('half');
      expect((await ask({ method: 'POST', body: { stream, length: 8 } })).fault?.kind).toBe('visitor silent');
    });
  });
}
