import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Rate limits for work that a refused request caused', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('work');
    const env = { STELE_RATE_LIMITS: 'on', STELE_TRUSTED_PROXIES: '127.0.0.1' };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const post = (address: string, type: string, body: Buffer | string) =>
    stele.api.post('/v1/deploy').set('x-forwarded-for', address).type(type).send(body);
  /**
   * Sends a request with this `content-length` but only the start of its body, and returns the status line of the
   * response.
   */
  const announce = (address: string, bytes: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(stele.port, '127.0.0.1').on('error', reject);
      socket.once('data', (chunk) => {
        resolve(chunk.toString().split('\r\n', 1).join());
        socket.destroy();
      });
      const head = `host: localhost:${stele.port}\r\nx-forwarded-for: ${address}\r\ncontent-type: application/json`;
      socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\ncontent-length: ${bytes}\r\n\r\n${'['.repeat(65)}`);
    });
  const left = ({ headers }: { headers: Record<string, string> }) =>
    Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
  const bad = (size: number) => [
    { path: 'index.html', content: Buffer.alloc(size, 'x') },
    { path: '../x', content: 'x' },
  ];

  it.each([
    ['application/zip', '192.0.2.1', zipOf(bad(1_000_000))],
    ['application/gzip', '192.0.2.2', tarGzOf(bad(1_000_000))],
  ])('a small %s body that decompresses to a large one counts toward the rate limit', async (type, address, body) => {
    expect(body.length).toBeLessThan(64 * 1_024);
    expect(left(await post(address, type, body).expect(400))).toBe(9);
    expect(left(await post(address, type, body).expect(400))).toBe(8);
  });

  it.each([
    ['application/zip', '192.0.2.3', zipOf(bad(1_000))],
    ['application/gzip', '192.0.2.4', tarGzOf(bad(1_000))],
  ])(
    'a refused request that caused little work does not count toward the rate limit: %s',
    async (type, address, body) => {
      await post(address, type, body).expect(400);
      expect(left(await post(address, type, body).expect(400))).toBe(10);
    },
  );

  it('a refused merge into a site with many files counts toward the rate limit, however small the request is', async () => {
    const merge = async (files: number) => {
      const all = Array.from({ length: files }, (_, n) => ({ path: `${n}`, content: '' }));
      const { body: site } = await post('192.0.2.5', 'json', JSON.stringify({ files: all })).expect(200);
      const changes = { files: [{ path: 'a', sha256: '0'.repeat(64) }] };
      const send = () =>
        stele.api
          .patch(`/v1/deploy?mode=merge&slug=${site.slug}`)
          .set('x-svc-edit-token', site.editToken)
          .send(changes)
          .expect(422);
      await send();
      return left(await send());
    };
    expect(await merge(1_000)).toBe(58);
    expect(await merge(10)).toBe(60);
  });

  it('messages to /mcp are limited by number and by bytes', async () => {
    const { body } = await stele.api.get('/v1/limits').expect(200);
    expect(body.rates.items).toContainEqual({ name: 'mcp-requests', limit: 600, seconds: 60, per: 'address' });
    expect(body.rates.items).toContainEqual({
      name: 'mcp-bytes',
      limit: 268_435_456,
      seconds: 3_600,
      per: 'address',
    });
    const send = (address: string, message: string | Buffer) =>
      stele.raw
        .post('/mcp')
        .set('x-forwarded-for', address)
        .set('accept', 'application/json, text/event-stream')
        .type('json')
        .send(message);
    const ping = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const { headers } = await send('192.0.2.6', ping).expect(200);
    expect(headers['ratelimit-policy']).toBe('"mcp-requests";q=600;w=60');
    expect(headers.ratelimit).toMatch(/^"mcp-requests";r=599;t=\d+$/);

    // Bytes that a request announces count towards the limit even if they never arrive.
    const announced = await Promise.all(Array.from({ length: 63 }, () => announce('192.0.2.7', 4_194_304)));
    expect(new Set(announced)).toEqual(new Set(['HTTP/1.1 400 Bad Request']));
    await send('192.0.2.7', ping).expect(200);
    expect(await announce('192.0.2.7', 4_194_304)).toBe('HTTP/1.1 429 Too Many Requests');
    const page = { name: 'deploy_html', arguments: { html: 'x'.repeat(4_193_700) } };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: page });
    const refused = await send('192.0.2.7', message).expect(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('256 MiB per hour') });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    await send('192.0.2.8', ping).expect(200);
  });

  it('events of command-line runs have a limit in bytes per IP address and day, because they are stored', async () => {
    const { body } = await stele.api.get('/v1/limits').expect(200);
    const bytes = { name: 'cli-event-bytes', limit: 33_554_432, seconds: 86_400, per: 'address' };
    expect(body.rates.items).toContainEqual(bytes);
  });
});
