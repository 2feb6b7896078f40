import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ANSWER, RawServer } from '../../support/servers/raw-server.js';
import { type SteleWithServers, startWithServers } from '../../support/servers/stand-in-servers.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('Malicious and broken servers of sites', () => {
  let stele: SteleWithServers;
  let program: RawServer;
  const servers: RawServer[] = [];
  let good: RawServer;
  let count = 0;
  const slugs: string[] = [];

  beforeAll(async () => {
    stele = await startWithServers();
    good = await RawServer.start((socket) => void socket.write(ANSWER));
    await stele.run('good', { socketPath: good.socketPath });
  }, 180_000);
  afterEach(() => Promise.all(servers.splice(0).map((each) => each.stop())));
  afterAll(async () => {
    await good?.stop();
    await stele?.remove();
  });

  const at = (slug: string) => rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`);

  async function answering(answer: (socket: Socket, head: string) => void) {
    program = await RawServer.start(answer);
    servers.push(program);
    const slug = `bad-${++count}`;
    slugs.push(slug);
    await stele.run(slug, { socketPath: program.socketPath });
    return at(slug);
  }
  const saying = (text: string) => answering((socket) => void socket.write(text, 'latin1'));

  it.each([
    ['garbage', 'not http at all, and without an end'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
    ['both a length and chunks', `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`],
    ['a header with a bare carriage return', `${OK}a: b\rset-cookie: c=1\r\n\r\n`],
    ['a protocol that was not requested', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n'],
    ['invalid chunks in one write', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['endless interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
    ['endless headers', `${OK}${'a: b\r\n'.repeat(20_000)}`],
    ['an endless header', `${OK}a: ${'b'.repeat(100_000)}`],
  ])('a server that sends %s causes a 502', async (_, said) => {
    const ask = await saying(said);
    const problem = await ask('/some/page?secret=1', { accept: 'application/json' });
    expect(problem.status).toBe(502);
    expect(problem.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(String(problem.body))).toMatchObject({
      code: 'server_failed',
      status: 502,
      retryable: true,
      instance: '/some/page',
      requestId: problem.headers['x-request-id'],
    });
    const page = await ask('/', { accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
    expect(String(page.body)).toContain('This site is not working right now');
  });

  it('a server that closes the connection immediately or does not listen causes a 502', async () => {
    const ask = await answering((socket) => void socket.destroy());
    expect((await ask('/')).status).toBe(502);
    await stele.run('nowhere', { socketPath: '/nowhere.sock' });
    const answer = await at('nowhere')('/');
    expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([502, 'server_failed']);
    expect((await at('nowhere')('/', { accept: 'text/html' }, 'HEAD')).body).toHaveLength(0);
  });

  it('a server that closes the connection in the middle of the response headers causes a 502', async () => {
    const ask = await answering((socket) => {
      socket.write(`${OK}a: b`);
      setTimeout(() => socket.end(), 50);
    });
    // The first request is handled by Node's HTTP server, and the second one by the fast path.
    for (let n = 0; n < 2; n++) expect((await ask('/', { accept: 'application/json' })).status).toBe(502);
  });

  it.each([
    ['before its content-length', `${OK}content-length: 100\r\n\r\nonly this`],
    ['in the middle of a chunk', `${OK}transfer-encoding: chunked\r\n\r\n64\r\nonly this`],
    ['with an invalid chunk', `${OK}transfer-encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n`],
  ])('if a server’s response ends %s, the visitor’s response is aborted, not completed', async (_, said) => {
    const ask = await answering((socket) => void socket.end(said));
    await expect(ask('/')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    await expect(ask('/')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  it('a server can end a response without Content-Length by closing the connection', async () => {
    const ask = await answering((socket) => void socket.end(`${OK}\r\nuntil closed`));
    for (let n = 0; n < 3; n++) expect(String((await ask('/')).body)).toBe('until closed');
  });

  it('data that a server sends after its response is discarded, and never reaches another visitor', async () => {
    const ask = await saying(`${ANSWER}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`);
    for (let n = 0; n < 5; n++) expect(String((await ask('/')).body)).toBe('ok');
    const late = await answering((socket) => {
      socket.write(ANSWER);
      setImmediate(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate'));
    });
    for (let n = 0; n < 5; n++) expect(['ok', '']).toContain(String((await late('/')).body));
  });

  it('a server can’t send content in responses to HEAD or with status 204 or 304', async () => {
    const ask = await answering((socket, head) => {
      const status = /^GET \/(\d+)/.exec(head)?.[1] ?? '200';
      socket.write(`HTTP/1.1 ${status} x\r\ncontent-length: 4\r\n\r\nevil`);
    });
    for (const [path, method] of [
      ['/', 'HEAD'],
      ['/204', 'GET'],
      ['/304', 'GET'],
      ['/', 'HEAD'],
    ] as const)
      expect((await ask(path, {}, method)).body).toHaveLength(0);
    expect(String((await ask('/200')).body)).toBe('evil');
  });

  it('a request is retried for a limited time while the sandbox reports that the server is not listening yet', async () => {
    let tries = 0;
    const ask = await answering((socket) => (++tries < 4 ? socket.end('\0') : socket.write(ANSWER)));
    expect(String((await ask('/')).body)).toBe('ok');
    expect(tries).toBe(4);
    const fresh = await answering((socket, head) => void socket.end(head.startsWith('POST') ? '\0' : ANSWER));
    // The first attempt consumes the body, so the request can't be sent again.
    expect((await fresh('/', {}, 'POST', 'once')).status).toBe(502);
  });

  it('if a server closes an idle connection, the next visitor does not notice', async () => {
    const ask = await answering((socket) => void socket.write(ANSWER, () => socket.end()));
    for (let n = 0; n < 20; n++) expect(String((await ask('/')).body)).toBe('ok');
  });

  it('a request that might change something is never sent to a server twice', async () => {
    let first = true;
    const ask = await answering((socket, head) => {
      if (head.startsWith('GET')) socket.write(ANSWER);
      else if (first) socket.destroy();
      else socket.write(ANSWER);
      if (!head.startsWith('GET')) first = false;
    });
    await ask('/');
    expect((await ask('/', {}, 'POST', 'once')).status).toBe(502);
    expect(program.heads.filter((head) => head.startsWith('POST'))).toHaveLength(1);
  });

  it.each([
    ['server_starting', 503, 'This site is starting'],
    ['server_failed', 502, 'This site is not working right now'],
    ['server_timeout', 504, 'This site took too long'],
  ] as const)('a request to a server that is unavailable fails with %s', async (refusal, status, title) => {
    await stele.run(`no-${status}`, { refusal });
    const problem = await at(`no-${status}`)('/');
    expect([problem.status, JSON.parse(String(problem.body)).code]).toEqual([status, refusal]);
    expect(problem.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
    const page = await at(`no-${status}`)('/', { accept: 'text/html' });
    expect([page.status, page.headers['cache-control']]).toEqual([status, 'no-store']);
    expect(String(page.body)).toContain(title);
  });

  it('a malicious server does not affect other sites', async () => {
    for (let n = 0; n < 3; n++) expect(String((await at('good')('/')).body)).toBe('ok');
    expect(slugs.length).toBeGreaterThan(10);
    await stele.raw.get('/health').expect(200);
  });
});
