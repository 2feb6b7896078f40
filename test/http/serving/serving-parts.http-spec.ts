import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const TEXT = '0123456789'.repeat(10);
const LARGE = randomBytes(3_000_000);

describe('Range requests', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let get: ReturnType<typeof rawRequestsTo>;

  beforeAll(async () => {
    temporary = await temporaryFolder('parts');
    stele = await sharedStele({ folder: temporary.folder });
    const files = [
      { path: 'text.txt', content: TEXT },
      { path: 'empty.txt', content: '' },
      { path: '404.html', content: TEXT },
      { path: 'script.js', content: 'const a = 1;\n'.repeat(1_000) },
      { path: 'video.mp4', content: LARGE.toString('base64'), encoding: 'base64' },
    ];
    await stele.api.post('/v1/deploy?slug=parts').send({ files }).expect(200);
    get = rawRequestsTo(stele.port, `parts.localhost:${stele.port}`);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  /** Parses a `multipart/byteranges` body (RFC 9110 section 14.6) as a client would. */
  function partsOf(type: string | undefined, body: Buffer) {
    const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(type ?? '')?.[1] ?? 'none';
    const text = body.toString('latin1');
    expect(text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
    return text
      .slice(0, -`\r\n--${boundary}--\r\n`.length)
      .split(`\r\n--${boundary}\r\n`)
      .slice(1)
      .map((part) => {
        const [head = '', ...content] = part.split('\r\n\r\n');
        return [/content-range: (.*)/.exec(head)?.[1], Buffer.from(content.join('\r\n\r\n'), 'latin1')] as const;
      });
  }

  it('a response with a complete file says that range requests are supported', async () => {
    expect((await get('/text.txt')).headers['accept-ranges']).toBe('bytes');
    expect((await get('/video.mp4', {}, 'HEAD')).headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': '3000000',
    });
  });

  it.each([
    ['bytes=0-4', '01234', 'bytes 0-4/100'],
    ['bytes=95-', '56789', 'bytes 95-99/100'],
    ['bytes=-3', '789', 'bytes 97-99/100'],
    ['bytes=98-4000', '89', 'bytes 98-99/100'],
    ['bytes=0-0,200-', '0', 'bytes 0-0/100'],
  ])('the range %s returns 206 with %s', async (range, content, contentRange) => {
    const { status, headers, body } = await get('/text.txt', { range });
    expect([status, body.toString()]).toEqual([206, content]);
    expect(headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(content.length),
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      etag: (await get('/text.txt')).headers.etag,
    });
  });

  it('several ranges are returned in one response, in the requested order', async () => {
    const { status, headers, body } = await get('/text.txt', { range: 'bytes=90-94,0-1,-1' });
    expect(status).toBe(206);
    expect(headers).not.toHaveProperty('content-range');
    expect(headers['content-length']).toBe(String(body.length));
    expect(partsOf(headers['content-type'], body)).toEqual([
      ['bytes 90-94/100', Buffer.from('01234')],
      ['bytes 0-1/100', Buffer.from('01')],
      ['bytes 99-99/100', Buffer.from('9')],
    ]);
  });

  it('ranges of a large file can start and end at any position', async () => {
    const whole = await get('/video.mp4');
    expect(hash('sha256', whole.body)).toBe(hash('sha256', LARGE));
    for (const [first, last] of [
      [0, 0],
      [262_143, 262_144],
      [65_535, 1_048_577],
      [2_999_999, 2_999_999],
    ] as const) {
      const { status, body } = await get('/video.mp4', { range: `bytes=${first}-${last}` });
      expect(status).toBe(206);
      expect(body.equals(LARGE.subarray(first, last + 1))).toBe(true);
    }
    const { headers, body } = await get('/video.mp4', { range: 'bytes=2000000-2000009,10-400000' });
    expect(headers['content-length']).toBe(String(body.length));
    const parts = partsOf(headers['content-type'], body);
    expect(parts.map(([range]) => range)).toEqual(['bytes 2000000-2000009/3000000', 'bytes 10-400000/3000000']);
    expect(parts[1]?.[1].equals(LARGE.subarray(10, 400_001))).toBe(true);
  });

  it('a range beyond the end returns 416 with the file’s size, and the response is not cached', async () => {
    const { status, headers, body } = await get('/text.txt', { range: 'bytes=100-' });
    expect([status, headers['content-range'], body.length]).toEqual([416, 'bytes */100', 0]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await get('/empty.txt', { range: 'bytes=0-' })).headers['content-range']).toBe('bytes */0');
  });

  it.each([
    ['ranges in another unit', 'lines=0-4'],
    ['malformed ranges', 'bytes=4-2'],
    ['ranges that cover the whole file', 'bytes=0-49,50-99'],
    ['overlapping ranges', 'bytes=0-10,5-20'],
    ['too many ranges', `bytes=${'0-0,'.repeat(3_000)}0-0`],
  ])('%s are ignored and the complete file is returned', async (_, range) => {
    const { status, body } = await get('/text.txt', { range });
    expect([status, body.toString()]).toEqual([200, TEXT]);
  });

  it('ranges are ignored for HEAD and for a 404 page', async () => {
    const head = await get('/text.txt', { range: 'bytes=0-4' }, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, '100']);
    expect((await get('/nothing', { range: 'bytes=0-4' })).body.toString()).toBe(TEXT);
  });

  it('a range is returned only if If-Range matches the ETag or time; otherwise the complete file is returned', async () => {
    const { etag = '', 'last-modified': time = '' } = (await get('/text.txt')).headers;
    const statusWith = async (ifRange: string) =>
      (await get('/text.txt', { range: 'bytes=0-4', 'if-range': ifRange })).status;
    expect(await Promise.all([etag, time].map(statusWith))).toEqual([206, 206]);
    const others = [`W/${etag}`, '"other"', new Date(0).toUTCString(), new Date(Date.now() + 1e8).toUTCString(), 'x'];
    expect(await Promise.all(others.map(statusWith))).toEqual([200, 200, 200, 200, 200]);
  });

  it('ranges apply to the uncompressed bytes, even for clients that accept a coding', async () => {
    const { etag = '' } = (await get('/script.js')).headers;
    const headers = { range: 'bytes=0-4', 'accept-encoding': 'br, gzip' };
    const part = await get('/script.js', headers);
    expect([part.status, part.body.toString(), part.headers.etag]).toEqual([206, 'const', etag]);
    expect(part.headers).not.toHaveProperty('content-encoding');
    const coded = (await get('/script.js', { 'accept-encoding': 'br' })).headers.etag ?? '';
    expect((await get('/script.js', { ...headers, 'if-range': coded })).headers['content-encoding']).toBe('br');
    expect((await get('/script.js', { ...headers, 'if-range': etag })).status).toBe(206);
  });

  it('conditions are evaluated before ranges', async () => {
    const { etag = '' } = (await get('/text.txt')).headers;
    const statusWith = async (headers: Record<string, string>) =>
      (await get('/text.txt', { range: 'bytes=0-4', ...headers })).status;
    expect(await statusWith({ 'if-none-match': etag })).toBe(304);
    expect(await statusWith({ 'if-match': '"other"' })).toBe(412);
    expect(await statusWith({ 'if-match': etag })).toBe(206);
    expect(await statusWith({ 'if-match': '"other"', range: 'bytes=900-' })).toBe(412);
  });

  it('range requests also work for sites under the service’s address', () =>
    stele.api.get('/s/parts/text.txt').set('range', 'bytes=0-4').expect(206, '01234'));

  it('a request with two Range headers gets the complete file', async () => {
    const { text } = await sendRaw(
      stele.port,
      `GET /text.txt HTTP/1.1\r\nhost: parts.localhost:${stele.port}\r\nrange: bytes=0-1\r\nrange: bytes=3-4\r\nconnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});
