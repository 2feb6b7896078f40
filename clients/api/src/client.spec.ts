import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { read, readAll, Stele, type SteleOptions } from './client.js';
import { NetworkError, ProblemError } from './problem.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/**
 * Starts a server that handles each request with the next of these functions, and all further requests with the last.
 */
async function startServer(...responds: Respond[]) {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    (responds[received.length - 1] ?? responds.at(-1))?.(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  servers.push(server);
  const instance = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connect = (options: Partial<SteleOptions> = {}) => new Stele({ instance, ...options });
  return { instance, received, connect };
}

const succeed: Respond = (_, response) => response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
const cut: Respond = (request) => request.socket.destroy();
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Respond =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ status, code, title: 'Title', detail: 'Detail.' }));

/** Collects garbage several times, because some objects are freed only after others. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  for (let n = 0; n < 5; n++) {
    collect();
    await delay(10);
  }
}

afterEach(() => {
  for (const server of servers.splice(0)) stop(server);
});

describe('Stele', () => {
  it('sends the credential and the client name in request headers', async () => {
    const { connect, received } = await startServer(succeed);
    const stele = connect({ credential: { kind: 'bearer', token: 'stele_pat_x' }, client: 'test/1' });
    await stele.api.GET('/health');
    await stele.with({ kind: 'edit', token: 'stele_edit_x' }).api.GET('/health');
    expect(received.map(({ headers }) => [headers.authorization, headers['x-svc-edit-token']])).toEqual([
      ['Bearer stele_pat_x', undefined],
      [undefined, 'stele_edit_x'],
    ]);
    expect(received[1]?.headers['stele-client']).toBe('test/1');
  });

  it('repeats a read whose connection breaks', async () => {
    const { connect, received } = await startServer(cut, cut, succeed);
    const waits: string[] = [];
    const stele = connect({ onRetry: ({ name }) => waits.push(name) });
    expect(await read(stele.api.GET('/health'))).toEqual({ status: 'ok' });
    expect(received).toHaveLength(3);
    expect(waits).toEqual(['NetworkError', 'NetworkError']);
  });

  it('repeats a POST that has an Idempotency-Key, with its original key and body', async () => {
    const { connect, received } = await startServer(cut, succeed);
    await connect().api.POST('/v1/sites/{slug}/rollback', {
      params: { path: { slug: 'a' }, header: { 'idempotency-key': 'key-12345678' } },
      body: { deployId: 'previous' },
    });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-12345678', 'key-12345678']);
    expect(received[1]?.headers['content-length']).toBe('23');
  });

  it('does not repeat a POST that could take effect twice', async () => {
    const { connect, received } = await startServer(cut);
    const request = connect().api.POST('/v1/waitlist', { body: { email: 'a@example.org' } });
    await expect(request).rejects.toThrow(NetworkError);
    expect(received).toHaveLength(1);
  });

  it('repeats any request that the service refused because it was overloaded', async () => {
    const { connect, received } = await startServer(refuse(503, 'unavailable', { 'retry-after': '0' }), succeed);
    await connect().api.POST('/v1/waitlist', { body: { email: 'a@example.org' } });
    expect(received).toHaveLength(2);
  });

  it('does not retry if the service says to wait for an hour', async () => {
    const { connect, received } = await startServer(refuse(429, 'rate_limited', { 'retry-after': '3600' }));
    await expect(connect().api.GET('/health')).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
    expect(received).toHaveLength(1);
  });

  it('rejects with the service’s error document', async () => {
    const { connect } = await startServer(refuse(404, 'site_not_found'));
    const error = await connect()
      .api.GET('/v1/sites/{slug}', { params: { path: { slug: 'a' } } })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status: 404, code: 'site_not_found', message: 'Detail.' });
  });

  it('describes an error page that is not from the service', async () => {
    const { connect } = await startServer((_, response) =>
      response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Corporate proxy</h1>'),
    );
    await expect(connect().api.GET('/health')).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('does not follow a redirect, which could send a token to another server', async () => {
    const { connect, received, instance } = await startServer((_, response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    );
    const stele = connect({ credential: { kind: 'edit', token: 'stele_edit_x' } });
    await expect(stele.api.GET('/health')).rejects.toMatchObject({
      code: 'redirected',
      message: `${instance} redirects to https://elsewhere.example/. Use that address as the instance.`,
    });
    expect(received).toHaveLength(1);
  });

  it('ends immediately when the signal is aborted', async () => {
    const { connect } = await startServer(() => undefined);
    const controller = new AbortController();
    const request = connect().api.GET('/health', { signal: controller.signal });
    controller.abort(new Error('interrupted'));
    await expect(request).rejects.toThrow('interrupted');
  });

  it('rejects if no response begins in time, and does not repeat the request', async () => {
    const { connect, received, instance } = await startServer(() => undefined);
    await expect(connect({ responseTimeoutMs: 50 }).api.GET('/health')).rejects.toMatchObject({
      name: 'NetworkError',
      message: `Could not reach ${instance}: it did not respond in time (UND_ERR_HEADERS_TIMEOUT).`,
    });
    expect(received).toHaveLength(1);
  });

  it('rejects if the rest of a response does not arrive in time', async () => {
    const { connect } = await startServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    );
    await expect(connect({ responseTimeoutMs: 50 }).api.GET('/health')).rejects.toThrow('did not respond in time');
  });

  it('a large request may take longer than the time limit, as long as the service reads it', async () => {
    const steps = 40;
    const content = Buffer.alloc(steps * 1024 * 1024);
    let received = 0;
    const { connect } = await startServer(async (request, response) => {
      for await (const chunk of request) {
        const before = Math.floor(received / 1024 / 1024);
        received += chunk.length;
        if (Math.floor(received / 1024 / 1024) > before) await delay(50);
      }
      succeed(request, response);
    });
    const stele = connect({ responseTimeoutMs: 1000 });
    const started = performance.now();
    const { status } = await stele.send(new Request(stele.url('/v1/uploads/a'), { method: 'PUT', body: content }));
    expect([status, received, performance.now() - started > 1000]).toEqual([200, content.length, true]);
  }, 30_000);

  it('counts the bytes of a request as they are sent, and subtracts those of a failed attempt', async () => {
    const content = Buffer.alloc(200_000);
    const counts: number[] = [];
    let sent = 0;
    const [cutAll, readAll] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { connect } = await startServer(
      async (request) => {
        request.on('error', () => undefined).resume();
        await cutAll.promise;
        request.socket.destroy();
      },
      async (request, response) => {
        request.resume();
        await readAll.promise;
        succeed(request, response);
      },
    );
    const stele = connect();
    await stele.send(new Request(stele.url('/v1/uploads/a'), { method: 'PUT' }), content, (bytes) => {
      sent += bytes;
      counts.push(sent);
      // The servers wait for this, so the bytes must be counted before the response arrives.
      if (sent === content.length) (counts.includes(0) ? readAll : cutAll).resolve();
    });
    const attempt = [65_536, 131_072, 196_608, 200_000];
    expect(counts).toEqual([...attempt, 0, ...attempt]);
  });

  it('ends when the signal is aborted, even if garbage was collected while the request was waiting', async () => {
    const arrival = Promise.withResolvers<void>();
    const { connect } = await startServer(() => arrival.resolve());
    const controller = new AbortController();
    const request = connect({ signal: controller.signal }).api.GET('/health');
    const ended = expect(request).rejects.toThrow('interrupted');
    await arrival.promise;
    await collectGarbage();
    controller.abort(new Error('interrupted'));
    await ended;
  });

  it('stops reading a response that is larger than 64 MiB', async () => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const { connect, received, instance } = await startServer(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed && sent < 200) {
        sent += 1;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    });
    await expect(connect().api.GET('/health')).rejects.toThrow(`${instance} sent a response of more than 64 MiB.`);
    expect([received.length, sent < 100]).toEqual([1, true]);
  }, 30_000);

  it('does not limit a response that is opened as a stream', async () => {
    const content = Buffer.alloc(70 * 1024 * 1024);
    const { connect } = await startServer((_, response) => response.end(content));
    const stele = connect();
    const { body } = await stele.open(new Request(stele.url('/v1/sites/a/files.zip')));
    let bytes = 0;
    for await (const chunk of body ?? []) bytes += chunk.length;
    expect(bytes).toBe(content.length);
  }, 30_000);

  it.each([
    ['a response whose header is too large', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(300_000)}\r\n\r\n`],
    ['a response that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('does not repeat a request after %s', async (_, text) => {
    const { connect, received } = await startServer(({ socket }) => socket.end(text));
    await expect(connect().api.GET('/health')).rejects.toThrow(NetworkError);
    expect(received).toHaveLength(1);
  });

  it('sends a request once more if DNS does not know the host, and reports the wait and the attempt', async () => {
    const retries: unknown[] = [];
    let sent = 0;
    const stele = new Stele({
      instance: 'https://stele.example',
      onRetry: (_, retry) => retries.push(retry),
      fetch: async () => {
        sent += 1;
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }) });
      },
    });
    await expect(stele.api.GET('/health')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(sent).toBe(2);
    expect(retries).toEqual([{ afterMs: expect.any(Number), attempt: 2, attempts: 2 }]);
  });

  it.each(['200 Хорошо', '200 \u00c9tabli'])('reads a response with the status line “%s”', async (status) => {
    const { connect, received } = await startServer(({ socket }) =>
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"status":"ok"}`,
        status.includes('\u00c9') ? 'latin1' : 'utf8',
      ),
    );
    expect(await read(connect().api.GET('/health'))).toEqual({ status: 'ok' });
    expect(received).toHaveLength(1);
  });

  it('keeps the status of an error whose body is incomplete', async () => {
    const { connect, received } = await startServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json', 'content-length': 200 }).write('{"code":');
      setImmediate(() => response.destroy());
    });
    await expect(connect().api.GET('/health')).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    expect(received).toHaveLength(1);
  });

  it.each([
    ['{"title":"Unauthorized","errors":{"name":["bad"]},"suggestion":5}', 'unauthenticated', 'Unauthorized', undefined],
    [
      '{"code":"x","detail":"A.","errors":[{"path":"a","message":"b"},7,null]}',
      'x',
      'A.',
      [{ path: 'a', message: 'b' }],
    ],
    ['[]', 'unauthenticated', expect.stringContaining('without an error document'), undefined],
  ])('completes the error document %s', async (body, code, message, errors) => {
    const { connect } = await startServer((_, response) =>
      response.writeHead(401, { 'content-type': 'application/problem+json' }).end(body),
    );
    const error = await connect()
      .api.GET('/health')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 401, code, message });
    expect((error as ProblemError).problem.errors).toEqual(errors);
  });

  it('the error gives the reason if the instance does not respond', async () => {
    const { connect, instance } = await startServer(succeed);
    for (const server of servers.splice(0)) stop(server);
    const request = connect({ retries: { attempts: 1 } }).api.GET('/health');
    await expect(request).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: `Could not reach ${instance}: the connection was refused (ECONNREFUSED).`,
    });
  });
});

describe('readAll', () => {
  it('reads all pages of a list in order', async () => {
    const pages = [[1, 2], [3, 4], [5]];
    expect(await readAll(async (page) => ({ items: pages[page - 1] ?? [], total: 5 }))).toEqual([1, 2, 3, 4, 5]);
  });

  it('rejects if a list never ends', async () => {
    await expect(readAll(async () => ({ items: [1], total: 1e9 }))).rejects.toThrow('more than 1000 pages');
  });

  it('ends at an empty page if the list became shorter while it was being read', async () => {
    expect(await readAll(async (page) => ({ items: page === 1 ? [1] : [], total: 9 }))).toEqual([1]);
  });
});
