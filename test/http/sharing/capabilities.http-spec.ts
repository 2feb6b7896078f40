import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Made = { slug: string; editToken: string; deployId: string };

describe('Site capabilities', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('capabilities');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const make = async (files: Record<string, string>): Promise<Made> => {
    const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
    return (await stele.api.post('/v1/deploy').send({ files: entries }).expect(200)).body;
  };
  const token = ({ editToken }: Made) => ({ 'x-svc-edit-token': editToken });
  const set = (site: Made, body: object) =>
    stele.api.post(`/v1/sites/${site.slug}/capabilities`).set(token(site)).send(body);
  const list = (site: Made) => stele.api.get(`/v1/sites/${site.slug}/capabilities`).set(token(site));
  const visit = (site: Made) => rawRequestsTo(stele.port, `${site.slug}.localhost:${stele.port}`);

  it('capabilities can be listed and switched on or off, and changes appear in the site’s history', async () => {
    const site = await make({ 'index.html': 'x' });
    const { body: before } = await list(site).expect(200);
    expect(before.items).toEqual(
      ['spa', 'listing', 'connector', 'analytics', 'egress'].map((name) => ({
        name,
        enabled: false,
        description: expect.any(String),
        config: {},
      })),
    );
    const { body, headers } = await set(site, { name: 'connector', enabled: true, config: {} }).expect(200);
    expect(body).toMatchObject({ name: 'connector', enabled: true, config: {} });
    expect(headers).toMatchObject({ 'stele-revision': '3', 'stele-position': expect.any(String) });
    const again = await set(site, { name: 'connector', enabled: true }).expect(200);
    expect(again.headers['stele-position']).toBeUndefined();
    await set(site, { name: 'analytics', enabled: true }).expect(200);
    const { body: after } = await list(site).expect(200);
    expect(after.items.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([false, false, true, true, false]);
    const { body: shown } = await stele.api.get(`/v1/sites/${site.slug}`).expect(200);
    expect(shown.capabilities.toSorted()).toEqual(['analytics', 'connector']);
    const { body: history } = await stele.api.get(`/v1/sites/${site.slug}/history`).set(token(site)).expect(200);
    expect(history.items[0].summary).toBe('Capability analytics turned on');
  });

  it.each<[string, object, string]>([
    ['an unknown name', { name: 'magic', enabled: true }, 'name'],
    ['a name like a built-in object property', { name: '__proto__', enabled: true }, 'name'],
    ['a missing name', { enabled: true }, 'name'],
    ['an enabled field that is not a boolean', { name: 'spa', enabled: 'yes' }, 'enabled'],
    ['a missing enabled field', { name: 'spa' }, 'enabled'],
    ['an unknown setting', { name: 'spa', enabled: true, config: { page: '/x' } }, 'config.page'],
    ['invalid settings', { name: 'listing', enabled: true, config: [] }, 'config'],
    ['an unknown field', { name: 'spa', enabled: true, on: 1 }, 'on'],
  ])('a request with %s is refused', async (_, body, path) => {
    const site = await make({ 'index.html': 'x' });
    const { body: problem } = await set(site, body).expect(400);
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it('anyone who can deploy the site can change its capabilities', async () => {
    const site = await make({ 'index.html': 'x' });
    const other = await make({ 'index.html': 'y' });
    const route = `/v1/sites/${site.slug}/capabilities`;
    const body = { name: 'spa', enabled: true };
    for (const [as, status, code] of [
      [{}, 401, 'unauthenticated'],
      [token(other), 403, 'edit_token_invalid'],
    ] as const) {
      expect((await stele.api.get(route).set(as).expect(status)).body.code).toBe(code);
      expect((await stele.api.post(route).set(as).send(body).expect(status)).body.code).toBe(code);
    }
    await stele.api.post('/v1/sites/no-such-site/capabilities').send(body).expect(404);
  });

  it('while the capability `spa` is enabled, the single-page app is shown at unknown page paths', async () => {
    const site = await make({ 'index.html': '<h1>App</h1>', '404.html': 'none', 'app.js': '1', 'about.html': 'about' });
    const get = visit(site);
    expect((await get('/any/page')).status).toBe(404);
    await set(site, { name: 'spa', enabled: true }).expect(200);
    for (const path of ['/any/page', '/any/page?x=1', '/any/folder/', '/v1.2/page']) {
      const { status, body, headers } = await get(path);
      expect([path, status, body.toString()]).toEqual([path, 200, '<h1>App</h1>']);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=0, must-revalidate',
      });
    }
    expect((await get('/any/page', {}, 'HEAD')).status).toBe(200);
    expect((await get('/any/page', {}, 'POST')).status).toBe(405);
    expect((await get('/missing.js')).status).toBe(404);
    expect((await get('/about')).body.toString()).toBe('about');
    await stele.raw.get(`/s/${site.slug}/any/page`).expect(200);
    const { headers } = await get('/any/page');
    expect((await get('/any/page', { 'if-none-match': headers.etag ?? '' })).status).toBe(304);

    await set(site, { name: 'spa', enabled: false }).expect(200);
    expect((await get('/any/page', { 'if-none-match': headers.etag ?? '' })).status).toBe(404);
  });

  const hostile = [
    '<img src=x onerror=alert(1)>.txt',
    '"onmouseover="alert(1)".txt',
    "'&lt;script&gt;.txt",
    '</style><script>alert(1)</script>.txt',
    'javascript:alert(1)',
    '# hash?query&amp;=%2e%2e.txt',
    '100%.txt',
    'ünïcödé 🦦.txt',
    'שלום.txt',
    ' leading blank.txt',
  ];

  it('a folder listing is escaped and sorted, with sizes and links to the files', async () => {
    const names = hostile.filter((name) => !name.includes('/'));
    const files = Object.fromEntries(names.map((name) => [`shelf/${name}`, `content of ${name}`]));
    const site = await make({
      ...files,
      _headers: '/*\n  x-chosen: yes\n',
      'shelf/10.txt': 'x'.repeat(1_234),
      'shelf/2.txt': 'x',
      'shelf/deep/er.txt': 'deeper',
      'shelf/own/index.html': 'own page',
    });
    const get = visit(site);
    expect((await get('/shelf/')).status).toBe(404);
    await set(site, { name: 'listing', enabled: true }).expect(200);

    const { status, headers, body } = await get('/shelf/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-chosen': 'yes',
      'x-content-type-options': 'nosniff',
    });
    const text = body.toString();
    expect(text).not.toMatch(/<script|<img|onmouseover="alert/);
    expect(text).toContain('1.2 KB');
    const links = [...text.matchAll(/<tr><td><a[^>]* href="([^"]*)"/g)].map(([, link = '']) =>
      link.replaceAll('&#39;', "'"),
    );
    expect(links.slice(0, 3)).toEqual(['../', './deep/', './own/']);
    expect(links.indexOf('./2.txt')).toBeLessThan(links.indexOf('./10.txt'));
    const base = 'http://site.example/shelf/';
    for (const name of names) {
      const link = links.find((each) => decodeURIComponent(each) === `./${name}`);
      const url = new URL(link ?? 'missing:', base);
      expect([name, url.origin]).toEqual([name, 'http://site.example']);
      expect((await get(url.pathname)).body.toString()).toBe(`content of ${name}`);
    }
    expect((await get('/shelf/own/')).body.toString()).toBe('own page');
    expect((await get('/shelf/none/')).status).toBe(404);
    expect((await get('/shelf')).status).toBe(404);
    const root = (await get('/')).body.toString();
    expect(root).toContain('href="./shelf/"');
    expect(root).not.toContain('_headers');
    expect(root).not.toContain('href="../"');
  });

  it('a folder listing has cache validators, and is available under every address of the site', async () => {
    const site = await make({ 'a/one.txt': '1', 'a/two.txt': '2' });
    await set(site, { name: 'listing', enabled: true }).expect(200);
    const get = visit(site);
    const { headers, body } = await get('/a/');
    expect((await get('/a/', { 'if-none-match': headers.etag ?? '' })).status).toBe(304);
    expect((await get('/a/', { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get('/a/', { 'if-match': '"other"' })).status).toBe(412);
    const head = await get('/a/', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(body.length), 0]);

    const under = await stele.raw.get(`/s/${site.slug}/a/`).expect(200);
    expect(under.headers['content-security-policy']).toMatch(/^sandbox allow-scripts .*, default-src 'none'/);
    expect(under.headers['content-security-policy']).not.toContain('allow-same-origin');
    const preview = rawRequestsTo(stele.port, `dep-${site.deployId.slice(4)}.localhost:${stele.port}`);
    expect((await preview('/a/')).body.equals(body)).toBe(true);

    await stele.api
      .patch(`/v1/deploy?slug=${site.slug}`)
      .set(token(site))
      .send({ files: [{ path: 'a/three.txt', content: '3' }] })
      .expect(200);
    const changed = await get('/a/', { 'if-none-match': headers.etag ?? '' });
    expect([changed.status, changed.body.toString().includes('three.txt')]).toEqual([200, true]);
    await set(site, { name: 'listing', enabled: false }).expect(200);
    expect((await get('/a/')).status).toBe(404);
  });

  it('capabilities survive a restart', async () => {
    const site = await make({ 'index.html': 'app', 'a/one.txt': '1' });
    await set(site, { name: 'spa', enabled: true }).expect(200);
    await set(site, { name: 'listing', enabled: true }).expect(200);
    await stele.stop('SIGKILL');
    stele = await startStele({ folder: temporary.folder });
    expect((await visit(site)('/some/page')).body.toString()).toBe('app');
    expect((await visit(site)('/a/')).body.toString()).toContain('one.txt');
  }, 180_000);
});
