import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { type Row, rows, type SiteOfRows, sitesOfRows } from '../../support/sites/hosting-rule-cases.js';

/** Headers that the service sets on every response. */
const OURS = new Set([
  ...['access-control-allow-origin', 'x-content-type-options', 'x-robots-tag', 'origin-agent-cluster', 'vary'],
  ...['connection', 'keep-alive', 'date', 'etag', 'last-modified', 'accept-ranges', 'content-type', 'content-length'],
]);
const OUR_CACHE_CONTROL = ['public, max-age=0, must-revalidate', 'no-store'];
const SANDBOX = /^sandbox allow-scripts [a-z -]+(, |$)/;

describe('Site rules', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const slugs = new Map<SiteOfRows, string>();

  const deploy = async (files: Record<string, string>, query = '') => {
    const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
    return (await stele.api.post(`/v1/deploy${query}`).send({ files: entries }).expect(200)).body;
  };
  const get = (slug: string, path: string) => stele.visit(slug, path).redirects(0);
  const getByPath = (slug: string, path: string) => stele.api.get(`/s/${slug}${path}`).redirects(0);

  beforeAll(async () => {
    temporary = await temporaryFolder('site-rules');
    stele = await sharedStele({ folder: temporary.folder });
    for (const site of sitesOfRows) {
      const { redirects, headers, files } = site;
      const { slug, warnings } = await deploy({
        ...Object.fromEntries(files.map((path) => [path, path])),
        ...(redirects && { _redirects: redirects }),
        ...(headers && { _headers: headers }),
      });
      slugs.set(site, slug);
      const lines = warnings.flatMap(({ file, line }: { file: string; line?: number }) =>
        line ? [`${file}:${line}`] : [],
      );
      expect(lines).toEqual([...site.ignored, ...site.ineffective]);
    }
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  describe('rules work as other hosting services document them', () => {
    const slugOf = ({ site }: Row) => slugs.get(site) ?? '';

    it.each(rows.map((row) => [row.request, row.expected, row.source, row] as const))(
      'the response to %s is %s (%s)',
      async (request, expected, _, row) => {
        const answer = await get(slugOf(row), request);
        expect(row.site.headers === '' ? answered(answer, row) : chosen(answer.headers)).toBe(expected);
      },
    );

    it('rules also work under the service’s address, where the site’s prefix is added to paths', async () => {
      for (const row of rows.filter(({ site }) => site.headers === '')) {
        const prefix = `/s/${slugOf(row)}`;
        const answer = await getByPath(slugOf(row), row.request);
        const expected = row.expected.replace(/^(3\d\d) \//, `$1 ${prefix}/`);
        expect([row.request, answered(answer, row)]).toEqual([row.request, expected]);
        expect(answer.headers['content-security-policy']).toMatch(SANDBOX);
      }
    });

    type Got = { status: number; headers: Record<string, string>; text: string };

    function answered({ status, headers, text }: Got, { site }: Row) {
      const location = headers.location;
      if (location !== undefined) return `${status} ${location}`;
      // A response with a binary file has no text, so only its status is compared.
      return site.files.includes(text) ? `${status} ${text}` : `${status}`;
    }

    const chosen = (headers: Record<string, string>) =>
      Object.entries(headers)
        .filter(([name, value]) => !OURS.has(name) && !(name === 'cache-control' && OUR_CACHE_CONTROL.includes(value)))
        .map(([name, value]) => `${name}: ${value}`)
        .sort()
        .join(' | ');
  });

  it('the rule files themselves are not served', async () => {
    const { slug } = await deploy({ _redirects: '/a /b', _headers: '/*\n  X-A: 1', 'index.html': 'home' });
    for (const path of ['/_redirects', '/_headers']) {
      await get(slug, path).expect(404);
      await getByPath(slug, path).expect(404);
    }
  });

  it('a past deploy follows its own rules and is hidden from search engines', async () => {
    const first = await deploy({ 'index.html': 'one', _redirects: '/to /one', _headers: '/*\n  X-Robots-Tag: all' });
    const files = [
      { path: 'index.html', content: 'two' },
      { path: '_redirects', content: '/to /two' },
    ];
    const patch = (query: string) =>
      stele.api.patch(`/v1/deploy?slug=${first.slug}${query}`).set('x-svc-edit-token', first.editToken);
    await patch('').send({ files }).expect(200);
    await get(first.slug, '/to').expect('location', '/two');
    const preview = `dep-${first.deployId.slice(4)}`;
    await get(preview, '/to').expect(301).expect('location', '/one');
    await get(preview, '/').expect('x-robots-tag', 'noindex, all');
    await getByPath(first.slug, `/@${first.deployId}/to`).expect('location', `/s/${first.slug}/@${first.deployId}/one`);
  });

  it('a merge checks the site’s existing rules again, even if it changes only other files', async () => {
    const site = await deploy({ 'index.html': 'one', _redirects: '/fine /x\nwrong' });
    const { body } = await stele.api
      .patch(`/v1/deploy?slug=${site.slug}&mode=merge`)
      .set('x-svc-edit-token', site.editToken)
      .send({ files: [{ path: 'b.html', content: 'b' }] })
      .expect(200);
    expect(body.warnings).toContainEqual({
      file: '_redirects',
      line: 2,
      message: expect.stringContaining('must start with /'),
    });
  });

  it('rules apply to 304 responses and 404 pages', async () => {
    const { slug } = await deploy({
      'index.html': 'home',
      '404.html': 'none',
      _headers: '/*\n  X-A: 1\n  Cache-Control: max-age=60',
    });
    const { headers } = await get(slug, '/').expect('x-a', '1').expect('cache-control', 'max-age=60');
    await get(slug, '/')
      .set('if-none-match', headers.etag!)
      .expect(304)
      .expect('x-a', '1')
      .expect('cache-control', 'max-age=60');
    const none = await get(slug, '/nothing').expect(404).expect('x-a', '1');
    expect(none.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
  });

  it('rules can’t weaken isolation where the site shares an origin with the API', async () => {
    const { slug } = await deploy({
      'index.html': 'home',
      _headers: [
        ...['/*', 'Content-Security-Policy: sandbox allow-same-origin allow-scripts', '! Content-Security-Policy'],
        ...['Content-Security-Policy: script-src *', 'Access-Control-Allow-Origin: https://evil.example'],
        ...['Access-Control-Allow-Credentials: true', 'Strict-Transport-Security: max-age=9; includeSubDomains'],
        ...[
          'NEL: {}',
          'Report-To: {}',
          'X-Robots-Tag: all',
          '! X-Robots-Tag',
          '! Access-Control-Allow-Origin',
          'X-A: 1',
        ],
      ].join('\n'),
    });
    const { headers } = await getByPath(slug, '/').expect(200).expect('x-a', '1');
    expect(headers['content-security-policy']).toMatch(SANDBOX);
    expect(headers['content-security-policy']).toMatch(/pointer-lock, script-src \*$/);
    expect(headers['content-security-policy']).not.toContain('allow-same-origin');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['x-robots-tag']).toMatch(/^noindex/);
    for (const name of ['access-control-allow-credentials', 'strict-transport-security', 'nel', 'report-to'])
      expect(headers).not.toHaveProperty(name);
    await get(slug, '/').expect('x-content-type-options', 'nosniff').expect('origin-agent-cluster', '?1');
  });

  it('the part of a rule file after 256 KiB is ignored with a warning, whatever the file contains', async () => {
    const long = `/first /one\n${'/* /:splat?:splat\n'.repeat(500_000)}`;
    const { slug, warnings } = await deploy({
      'index.html': 'home',
      _redirects: long,
      _headers: '/'.repeat(9_000_000),
    });
    expect(warnings).toContainEqual({
      file: '_redirects',
      line: expect.any(Number),
      message: expect.stringMatching(/256 KiB|2000 redirects/),
    });
    expect(warnings).toContainEqual({ file: '_headers', line: 1, message: expect.stringContaining('256 KiB') });
    await get(slug, '/first').expect(301).expect('location', '/one');
    await get(slug, '/').expect(200);
  }, 180_000);

  it('rules can return the service’s own error pages, which contain no scripts', async () => {
    const { slug } = await deploy({ _redirects: '/gone /x 410' });
    const check = (text: string, title: string) => {
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toMatch(/<html lang="en">.*<meta name="color-scheme" content="light dark">.*<main>/s);
      expect(text).not.toMatch(/<script|javascript:|https?:/);
    };
    for (const [path, status, title] of [
      ['/gone', 410, 'This page is gone'],
      ['/nothing', 404, 'Page not found'],
    ] as const) {
      const { text, headers } = await get(slug, path).expect(status);
      check(text, title);
      expect(headers['cache-control']).toBe('no-store');
    }
    await stele.api
      .post(`/v1/admin/sites/${slug}/takedown`)
      .set('authorization', 'Bearer operator-token-of-tests')
      .send({ reason: 'phishing' })
      .expect(200);
    // RFC 7725: the link names the party that blocks the site.
    const { text } = await get(slug, '/')
      .expect(451)
      .expect('link', /^<http.*>; rel="blocked-by"$/);
    check(text, 'Site taken down');
  });
});
