import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const FILES = {
  'index.html': 'home',
  'about.html': 'about',
  plain: 'no ending',
  'docs/index.html': 'docs',
  'docs/a b.html': 'blank',
  'both.html': 'page',
  'both/index.html': 'folder',
  'app.js': 'js()',
  'data.unknown': 'x',
  '.well-known/security.txt': 'contact',
  '404.html': 'not here',
};

describe('A published site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let bare: { slug: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('serving');
    stele = await sharedStele({ folder: temporary.folder });
    const files = Object.entries(FILES).map(([path, content]) => ({ path, content }));
    await stele.api.post('/v1/deploy?slug=shown').send({ files }).expect(200);
    ({ body: bare } = await stele.api
      .post('/v1/deploy')
      .send({ files: [{ path: 'a.txt', content: 'a' }] })
      .expect(200));
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const byHost = (path: string) => stele.visit('shown', path).redirects(0);
  const byPath = (path: string) => stele.api.get(`/s/shown${path}`).redirects(0);

  describe.each([
    ['at its own host', byHost, ''],
    ['under the service’s address', byPath, '/s/shown'],
  ])('requests to a site %s', (_, get, prefix) => {
    it.each([
      ['/', 200, 'home'],
      ['/?any=query', 200, 'home'],
      ['/index.html', 200, 'home'],
      ['/about', 200, 'about'],
      ['/about.html', 200, 'about'],
      ['/plain', 200, 'no ending'],
      ['/docs/', 200, 'docs'],
      ['/docs/a%20b', 200, 'blank'],
      ['/both', 200, 'page'],
      ['/both/', 200, 'folder'],
      ['/.well-known/security.txt', 200, 'contact'],
      ['/nothing', 404, 'not here'],
      ['/about/', 308, ''],
      ['/docs/../about', 404, 'not here'],
      ['/..%2f..%2fetc%2fpasswd', 404, 'not here'],
      ['/%00', 404, 'not here'],
      ['//about', 308, ''],
      ['//nothing', 404, 'not here'],
      ['/ABOUT', 404, 'not here'],
    ])('GET %s returns %d', async (path, status, content) => {
      // Sent as raw bytes, because an HTTP client would resolve the dots in the path.
      const { head, body } = await raw(prefix, path);
      expect([head.split(' ')[1], body]).toEqual([String(status), content]);
    });

    async function raw(prefix: string, path: string) {
      const host = prefix === '' ? `shown.localhost:${stele.port}` : `localhost:${stele.port}`;
      const socket = connect(stele.port, '127.0.0.1');
      socket.write(`GET ${prefix}${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      return { head, body };
    }

    it('a folder’s URL without a trailing slash redirects to the URL with a trailing slash', () =>
      get('/docs?a=1').expect(308).expect('location', `${prefix}/docs/?a=1`));

    it('a path with repeated slashes redirects to the page on the same site', async () => {
      const { head } = await raw(prefix, '//about?a=//b');
      expect(head).toContain(`location: ${prefix}/about?a=//b\r\n`);
    });

    it('a path that can’t be decoded returns 400', () => get('/%E0%A4%A').expect(400));

    it('files have the content type of their extension', async () => {
      await get('/app.js').expect('content-type', 'text/javascript; charset=utf-8');
      await get('/data.unknown').expect('content-type', 'application/octet-stream');
    });

    it('a client whose cached copy is current gets 304, except for a missing page', async () => {
      const { headers } = await get('/about').expect(200).expect('cache-control', 'public, max-age=0, must-revalidate');
      const etag = headers.etag!;
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const same = await get('/about').set('if-none-match', known).expect(304).expect('etag', etag);
        expect(same.text).toBe('');
      }
      await get('/about').set('if-none-match', '"other"').expect(200);
      await get('/nothing')
        .set('if-none-match', (await get('/nothing')).headers.etag!)
        .expect(404);
    });

    it('content sniffing is disabled, and an anonymous site is hidden from search engines', () =>
      get('/')
        .expect('x-content-type-options', 'nosniff')
        .expect('x-robots-tag', 'noindex')
        .expect('access-control-allow-origin', '*'));
  });

  it('HEAD returns the headers of GET without the content', async () => {
    const { headers, text } = await stele.api.head('/about').set('host', `shown.localhost:${stele.port}`).expect(200);
    expect([headers['content-length'], text]).toEqual(['5', undefined]);
  });

  it.each(['post', 'put', 'patch', 'delete'] as const)('a %s request to a site is refused', (method) =>
    stele.api[method]('/about').set('host', `shown.localhost:${stele.port}`).expect(405).expect('allow', 'GET, HEAD'),
  );

  it('a site is sandboxed only under the service’s address, whatever the status of the response', async () => {
    for (const path of ['/', '/docs', '/nothing', '']) await isSandboxed(path);
    const { headers } = await byHost('/');
    expect(headers).not.toHaveProperty('content-security-policy');
    expect(headers['origin-agent-cluster']).toBe('?1');
  });

  it('under the service’s address, even a path that can’t be decoded is sandboxed', () => isSandboxed('/%E0%A4%A'));

  async function isSandboxed(path: string) {
    const { headers } = await byPath(path);
    expect(headers['content-security-policy']).toMatch(/^sandbox /);
    expect(headers['content-security-policy']).not.toContain('allow-same-origin');
    expect(headers).not.toHaveProperty('set-cookie');
  }

  it('under the service’s address, a site URL without a trailing slash redirects to the URL with a slash', () =>
    byPath('?a=1').expect(308).expect('location', '/s/shown/?a=1'));

  it('under the service’s address, the site can’t install a service worker', () =>
    byPath('/app.js').set('service-worker', 'script').expect(403));

  it('a site without 404.html has a plain 404 page', async () => {
    const page = await stele.visit(bare.slug).expect(404).expect('content-type', 'text/html; charset=utf-8');
    expect(page.text).toContain('Page not found');
  });

  it('a missing site has a plain 404 page', async () => {
    expect((await stele.visit('no-such-site').expect(404)).text).toContain('There is no site here');
    expect((await stele.api.get('/s/no-such-site/').expect(404)).text).toContain('There is no site here');
  });

  it('a site’s own host has no API routes', () => byHost('/v1/sites/shown').expect(404).expect('content-type', /html/));

  it('a site’s deploys are available under the site’s path, but deploys of other sites are not', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('mine').expect(200);
    expect((await stele.api.get(`/s/${site.slug}/@${site.deployId}/`).expect(200)).text).toBe('mine');
    await stele.api.get(`/s/${site.slug}/@${site.deployId}`).redirects(0).expect(308);
    await stele.api.get(`/s/shown/@${site.deployId}/`).expect(404);
    await stele.api.get(`/s/${site.slug}/@dep_nonsense/`).expect(404);
  });
});
