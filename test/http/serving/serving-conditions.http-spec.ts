import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const LASTING = 'public, max-age=31536000, immutable';
const ASKED_FOR = 'public, max-age=0, must-revalidate';

describe('A visitor’s cached copy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('conditions');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  type Content = Readonly<Record<string, string>>;
  const filesOf = (content: Content) => ({
    files: Object.entries(content).map(([path, content]) => ({ path, content })),
  });
  const at = (slug: string) => rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`);

  async function published(content: Content) {
    const { body } = await stele.api.post('/v1/deploy').send(filesOf(content)).expect(200);
    const { slug, editToken } = body as { slug: string; editToken: string };
    const edit = { 'x-svc-edit-token': editToken };
    return {
      slug,
      deployId: String(body.deployId),
      get: at(slug),
      redeploy: async (content: Content, query = '') =>
        (await stele.api.patch(`/v1/deploy?slug=${slug}${query}`).set(edit).send(filesOf(content)).expect(200)).body,
      rollBack: (deployId: string) =>
        stele.api.post(`/v1/sites/${slug}/rollback`).set(edit).send({ deployId }).expect(200),
    };
  }

  it('a cached copy can be revalidated by ETag and by time', async () => {
    const { get } = await published({ 'index.html': 'one' });
    const { headers } = await get('/');
    const [etag, time] = [headers.etag ?? '', headers['last-modified'] ?? ''];
    expect(new Date(time).toUTCString()).toBe(time);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.parse(headers.date ?? ''));

    for (const field of [{ 'if-none-match': etag }, { 'if-none-match': '*' }, { 'if-modified-since': time }])
      for (const method of ['GET', 'HEAD']) {
        const answer = await get('/', field, method);
        expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, etag]);
        expect(answer.headers['cache-control']).toBe(ASKED_FOR);
        expect(answer.headers).not.toHaveProperty('content-type');
      }
    expect((await get('/', { 'if-none-match': '"x"', 'if-modified-since': time })).status).toBe(200);
    expect((await get('/', { 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200);
    expect((await get('/', { 'if-modified-since': 'never' })).status).toBe(200);
  });

  it('If-Match and If-Unmodified-Since must match, or the response is 412', async () => {
    const { get } = await published({ 'index.html': 'one' });
    const { etag = '', 'last-modified': time = '' } = (await get('/')).headers;
    const statusWith = async (fields: Record<string, string>) => (await get('/', fields)).status;
    expect(await statusWith({ 'if-match': etag })).toBe(200);
    expect(await statusWith({ 'if-match': `"x", ${etag}` })).toBe(200);
    expect(await statusWith({ 'if-match': `W/${etag}` })).toBe(412);
    expect(await statusWith({ 'if-unmodified-since': time })).toBe(200);
    expect(await statusWith({ 'if-unmodified-since': new Date(0).toUTCString() })).toBe(412);
    const failed = await get('/', { 'if-match': '"x"' });
    expect([failed.status, failed.body.length, failed.headers['cache-control']]).toEqual([412, 0, 'no-store']);
  });

  it('a cached copy is never considered current after a redeploy or rollback, even within the same second', async () => {
    const { get, redeploy, rollBack, deployId } = await published({ 'index.html': 'one' });
    const first = (await get('/')).headers;
    // A client that has no `last-modified` can send the time at which it got its copy (RFC 9110 section 13.1.3).
    const seen = async (expected: string) => {
      const { headers, body } = await get('/');
      expect(body.toString()).toBe(expected);
      return [headers['last-modified'] ?? '', headers.date ?? ''];
    };
    let times = await seen('one');
    for (const [change, expected] of [
      [() => redeploy({ 'index.html': 'two' }), 'two'],
      [() => rollBack(deployId), 'one'],
      [() => redeploy({ 'index.html': 'three' }), 'three'],
    ] as const) {
      await change();
      for (const time of times) expect((await get('/', { 'if-modified-since': time })).body.toString()).toBe(expected);
      times = [...times, ...(await seen(expected))];
    }
    await rollBack(deployId);
    expect((await get('/', { 'if-none-match': first.etag ?? '' })).status).toBe(304);
  });

  it('a cached copy of a page from a deploy’s own address stays valid after a redeploy', async () => {
    const site = await published({ 'index.html': 'one' });
    const preview = at(`dep-${site.deployId.slice(4)}`);
    const { 'last-modified': time = '' } = (await preview('/')).headers;
    await site.redeploy({ 'index.html': 'two' });
    expect((await preview('/', { 'if-modified-since': time })).status).toBe(304);
    expect((await preview('/')).headers['last-modified']).toBe(time);
  });

  describe('Caching for a year without revalidation', () => {
    const cacheOf = async ({ get }: { get: ReturnType<typeof rawRequestsTo> }, path: string) =>
      (await get(path)).headers['cache-control'];

    it('a script, style, font, image or wasm file is cached for a year if its name contains a content hash', async () => {
      const names = [
        'app-4f9a8c21.js',
        'a/style.4f9a8c21.css',
        'font-BhT3x9Qz.woff2',
        'logo-4f9a8c21.svg',
        'x-4f9a8c21.wasm',
      ];
      const site = await published(Object.fromEntries(names.map((name) => [name, name])));
      for (const name of names) {
        expect(await cacheOf(site, `/${name}`)).toBe(LASTING);
        const { headers } = await stele.api.get(`/s/${site.slug}/${name}`).expect(200);
        expect(headers['cache-control']).toBe(LASTING);
      }
      const same = await site.get('/app-4f9a8c21.js', { 'if-none-match': '*' });
      expect([same.status, same.headers['cache-control']]).toEqual([304, LASTING]);
    });

    it('pages, data files and files with arbitrary names are never cached for a year', async () => {
      const names = ['index.html', 'page-4f9a8c21.html', 'data-4f9a8c21.json', 'app.js', 'photo-20261120.jpg'];
      const site = await published(Object.fromEntries(names.map((name) => [name, name])));
      for (const name of names) expect(await cacheOf(site, `/${name}`)).toBe(ASKED_FOR);
    });

    it('a 404 page is never cached for a year, whatever name was requested', async () => {
      const site = await published({ '404.html': 'not here' });
      expect(await cacheOf(site, '/app-4f9a8c21.js')).toBe(ASKED_FOR);
    });

    it('an address that a rule rewrites to another file is never cached for a year', async () => {
      const site = await published({
        _redirects: '/now-4f9a8c21.js /app-4f9a8c21.js 200',
        'app-4f9a8c21.js': 'one',
      });
      expect(await cacheOf(site, '/now-4f9a8c21.js')).toBe(ASKED_FOR);
      expect(await cacheOf(site, '/app-4f9a8c21.js')).toBe(LASTING);
    });

    it('the site’s _headers can override the cache time', async () => {
      const site = await published({
        _headers: '/app-*\n  Cache-Control: no-cache\n  Vary: Cookie\n  Content-Type: text/x-own',
        'app-4f9a8c21.js': 'one();'.repeat(500),
      });
      for (const headers of [{}, { 'accept-encoding': 'br' }, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
        const answer = await site.get('/app-4f9a8c21.js', headers);
        expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Cookie, accept-encoding' });
        expect([undefined, 'text/x-own']).toContain(answer.headers['content-type']);
      }
    });

    it('a file is not cached for a year if any deploy had other content at that path, visited or not', async () => {
      const [path, other] = ['app-4f9a8c21.js', 'other-4f9a8c21.js'];
      const site = await published({ [path]: 'one', [other]: 'same' });
      expect(await cacheOf(site, `/${path}`)).toBe(LASTING);
      // Changes the file's content in a deploy that nobody visits.
      await site.redeploy({ [path]: 'two', [other]: 'same' });
      await site.redeploy({ 'index.html': 'without them' });
      const { deployId } = await site.redeploy({ [path]: 'one', [other]: 'same' });
      expect(await cacheOf(site, `/${path}`)).toBe(ASKED_FOR);
      expect(await cacheOf(site, `/${other}`)).toBe(LASTING);

      await site.rollBack(site.deployId);
      expect(await cacheOf(site, `/${path}`)).toBe(ASKED_FOR);
      const preview = { get: at(`dep-${String(deployId).slice(4)}`) };
      expect(await cacheOf(preview, `/${path}`)).toBe(ASKED_FOR);
      expect(await cacheOf(preview, `/${other}`)).toBe(LASTING);
    });

    it('a file is not cached for a year after somebody views an unpublished deploy with other content at that path', async () => {
      const path = 'app-4f9a8c21.js';
      const site = await published({ [path]: 'one' });
      const { deployId } = await site.redeploy({ [path]: 'two' }, '&publish=false');
      expect(await cacheOf(site, `/${path}`)).toBe(LASTING);
      expect(await cacheOf({ get: at(`dep-${String(deployId).slice(4)}`) }, `/${path}`)).toBe(ASKED_FOR);
      await site.rollBack(String(deployId));
      expect(await cacheOf(site, `/${path}`)).toBe(ASKED_FOR);
    });

    it('after a restart, a file is cached for a year only if it was cached for a year before', async () => {
      const path = 'app-4f9a8c21.js';
      const site = await published({ [path]: 'one' });
      await site.redeploy({ [path]: 'two' });
      const steady = await published({ [path]: 'one' });
      await steady.redeploy({ [path]: 'one', 'index.html': 'new' });
      await stele.stop();
      stele = await startStele({ folder: temporary.folder });
      expect(await cacheOf({ get: at(site.slug) }, `/${path}`)).toBe(ASKED_FOR);
      expect(await cacheOf({ get: at(steady.slug) }, `/${path}`)).toBe(LASTING);
    }, 180_000);
  });
});
