import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const SCRIPT = Array.from({ length: 3_000 }, (_, n) => `const v${n % 97} = ${n} * ${n % 7};\n`).join('');
const NOISE = randomBytes(4_000).toString('base64');
const decoded = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
type Coding = keyof typeof decoded;

describe('Compressed content', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let get: ReturnType<typeof rawRequestsTo>;

  beforeAll(async () => {
    temporary = await temporaryFolder('codings');
    stele = await sharedStele({ folder: temporary.folder });
    const files = [
      { path: 'app.js', content: SCRIPT },
      { path: 'better.js', content: `${SCRIPT}//` },
      { path: 'small.js', content: 'small()' },
      { path: 'noise.txt', content: NOISE, encoding: 'base64' },
      { path: 'image.png', content: NOISE, encoding: 'base64' },
      { path: 'large.js', content: SCRIPT.repeat(30) },
      { path: 'huge.txt', content: 'x'.repeat(9_000_000) },
      { path: '404.html', content: SCRIPT },
    ];
    await stele.api.post('/v1/deploy?slug=codings').send({ files }).expect(200);
    get = rawRequestsTo(stele.port, `codings.localhost:${stele.port}`);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it.each(['br', 'zstd', 'gzip'] as const)(
    'clients that accept %s get the complete content in that coding, with a separate ETag',
    async (coding) => {
      const plain = await get('/app.js');
      for (const path of ['/app.js', '/large.js']) {
        const { status, headers, body } = await get(path, { 'accept-encoding': coding });
        expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'accept-encoding']);
        expect(headers['content-length']).toBe(String(body.length));
        expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
        expect(decoded[coding](body).toString()).toBe(path === '/app.js' ? SCRIPT : SCRIPT.repeat(30));
        expect(headers.etag).not.toBe(plain.headers.etag);
      }
      expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(plain.body.toString()).toBe(SCRIPT);
    },
  );

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['deflate', undefined],
    ['br;q=0', undefined],
    ['', undefined],
    [`${'x,'.repeat(6_000)}y`, undefined],
    ['br;q=9', undefined],
  ])('accept-encoding “%s” selects %s', async (field, coding) => {
    const { status, headers } = await get('/app.js', { 'accept-encoding': field });
    expect([status, headers['content-encoding']]).toEqual([200, coding]);
  });

  it('the response to HEAD has the same coding as the response to GET', async () => {
    const { headers } = await get('/app.js', { 'accept-encoding': 'zstd' });
    const head = await get('/app.js', { 'accept-encoding': 'zstd' }, 'HEAD');
    expect(head.body.length).toBe(0);
    expect(head.headers['content-encoding']).toBe('zstd');
    expect(Number(head.headers['content-length'])).toBeLessThanOrEqual(Number(headers['content-length']));
  });

  it('small, incompressible, huge and image files are not compressed', async () => {
    for (const path of ['/small.js', '/noise.txt', '/image.png', '/huge.txt']) {
      const { status, headers } = await get(path, { 'accept-encoding': 'br, zstd, gzip' }, 'HEAD');
      expect([path, status, headers['content-encoding']]).toEqual([path, 200, undefined]);
    }
    expect((await get('/image.png')).headers).not.toHaveProperty('vary');
  });

  it('the ETag of a coding matches only that coding', async () => {
    const etags = new Map<Coding, string>();
    for (const coding of ['br', 'zstd', 'gzip'] as const)
      etags.set(coding, (await get('/app.js', { 'accept-encoding': coding })).headers.etag ?? '');
    for (const [coding, etag] of etags) {
      const same = await get('/app.js', { 'accept-encoding': coding, 'if-none-match': etag });
      expect([same.status, same.headers.etag, same.headers.vary]).toEqual([304, etag, 'accept-encoding']);
      const other = coding === 'br' ? 'gzip' : 'br';
      expect((await get('/app.js', { 'accept-encoding': other, 'if-none-match': etag })).status).toBe(200);
    }
  });

  it('a better-compressed version later replaces the first one, but the first version’s ETag stays valid', async () => {
    const ask = (more = {}) => get('/better.js', { 'accept-encoding': 'br', ...more });
    const quick = await ask();
    let best = await ask();
    // Other threads create the compressed version. Each request checks whether it is ready.
    while (best.headers.etag === quick.headers.etag) best = await ask();
    expect(best.body.length).toBeLessThan(quick.body.length);
    expect(brotliDecompressSync(best.body).equals(brotliDecompressSync(quick.body))).toBe(true);
    for (const { headers } of [quick, best])
      expect((await ask({ 'if-none-match': headers.etag ?? '' })).headers.etag).toBe(headers.etag);
  }, 180_000);

  it('the 404 page is compressed', async () => {
    const { status, headers, body } = await get('/nothing', { 'accept-encoding': 'gzip' });
    expect([status, headers['content-encoding']]).toEqual([404, 'gzip']);
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
  });

  it('a client that accepts neither a supported coding nor uncompressed content gets 406', async () => {
    for (const field of ['identity;q=0', '*;q=0', 'identity;q=0, deflate']) {
      const { status, headers } = await get('/app.js', { 'accept-encoding': field });
      expect([status, headers['cache-control']]).toEqual([406, 'no-store']);
    }
  });

  it('many concurrent clients get the same content', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => get('/large.js', { 'accept-encoding': n % 2 ? 'gzip' : 'zstd' })),
    );
    for (const [n, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(decoded[n % 2 ? 'gzip' : 'zstd'](body).length).toBe(SCRIPT.length * 30);
    }
  });
});
