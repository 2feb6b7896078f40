import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainsUnderTest } from '../../support/dns/domains-under-test.js';
import { signIn } from '../../support/people/sign-in.js';
import { NAVIGATION, visitorOf } from '../../support/people/site-visitor.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { type RecordedRequest, recordedRequests } from '../../support/sites/recorded-requests.js';

type Made = { readonly id: string; readonly slug: string; readonly editToken: string; readonly deployId: string };

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const PERSON = { 'user-agent': FIREFOX };

async function make(stele: Stele, files: Record<string, string | Buffer>, isCounted = true): Promise<Made> {
  const entries = Object.entries(files).map(([path, content]) =>
    typeof content === 'string' ? { path, content } : { path, content: content.toString('base64'), encoding: 'base64' },
  );
  const { body } = await stele.api.post('/v1/deploy').send({ files: entries }).expect(200);
  const { body: site } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
  const made = { ...body, id: site.id };
  if (isCounted) await set(stele, made, { name: 'analytics', enabled: true });
  return made;
}

const set = (stele: Stele, { slug, editToken }: Made, capability: object) =>
  stele.api.post(`/v1/sites/${slug}/capabilities`).set('x-svc-edit-token', editToken).send(capability).expect(200);

const hostOf = ({ port }: Stele, { slug }: Made) => `${slug}.localhost:${port}`;

const brief = ({ method, path, status, bytes }: RecordedRequest) => [method, path, status, Number(bytes)];

describe('Recording requests to a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('recording');
    stele = await startStele({ folder: temporary.folder, env: { STELE_TRUSTED_PROXIES: '127.0.0.1' } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const visit = (site: Made) => rawRequestsTo(stele.port, hostOf(stele, site));
  const recorded = (site: Made, hits: number) => recordedRequests(stele, site.id, hits);

  it('each request is recorded once, whether the fast path or Node’s HTTP server handles it', async () => {
    const large = Buffer.alloc(3_000_000, 'x');
    const site = await make(stele, {
      'index.html': 'hello',
      'docs/index.html': 'docs',
      '404.html': 'not here',
      'large.bin': large,
      _redirects: '/old /docs/ 301',
    });
    const get = visit(site);
    await get('/?utm=1'); // Handled by Node's HTTP server, because a query prevents caching.
    await get('/');
    await get('/'); // Handled by the fast path.
    await get('/', {}, 'HEAD');
    const { headers } = await get('/');
    await get('/', { 'if-none-match': headers.etag ?? '' });
    await get('/', { range: 'bytes=1-2' });
    await get('/', { range: 'bytes=99-' });
    await get('/docs');
    await get('/old');
    await get('/none', PERSON);
    await get('/large.bin');
    await get('/', {}, 'POST', 'a=1');
    await get('/', {}, 'PROPFIND');
    await sendRaw(stele.port, `GET /% HTTP/1.1\r\nhost: ${hostOf(stele, site)}\r\n\r\n`);
    await get('/.stele/');
    await get('/.stele/connector.js');
    await get('/last');

    const rows = await recorded(site, 16);
    const lengthOf405 = Number(rows[12]?.bytes);
    expect(rows.map(brief)).toEqual([
      ['GET', '/', 200, 5],
      ['GET', '/', 200, 5],
      ['GET', '/', 200, 5],
      ['HEAD', '/', 200, 0],
      ['GET', '/', 200, 5],
      ['GET', '/', 304, 0],
      ['GET', '/', 206, 2],
      ['GET', '/', 416, 0],
      ['GET', '/docs', 308, 0],
      ['GET', '/old', 301, 0],
      ['GET', '/none', 404, 8],
      ['GET', '/large.bin', 200, 3_000_000],
      ['POST', '/', 405, lengthOf405],
      ['PROPFIND', '/', 405, lengthOf405],
      ['GET', '/%', 400, expect.any(Number)],
      ['GET', '/last', 404, 8],
    ]);
    expect(rows.every(({ hits, counted }) => hits === 1 && counted)).toBe(true);
    expect(rows.map(({ is_page }) => is_page)).toEqual([
      ...[true, true, true, true, true, true],
      ...Array<boolean>(10).fill(false),
    ]);
    expect(rows.every(({ ms }) => ms >= 0 && ms < 10_000)).toBe(true);
    expect(lengthOf405).toBeGreaterThan(0);
  });

  it('requests under the service’s address or to a preview are recorded with their path within the site', async () => {
    const site = await make(stele, { 'index.html': 'hello', 'docs/index.html': 'docs' });
    const service = rawRequestsTo(stele.port, `localhost:${stele.port}`);
    for (let times = 0; times < 2; times++) {
      await service(`/s/${site.slug}/docs/`);
      await service(`/s/${site.slug}/@${site.deployId}/docs/`);
      await rawRequestsTo(stele.port, `dep-${site.deployId.slice(4)}.localhost:${stele.port}`)('/docs/');
    }
    await service(`/s/${site.slug}?a=1`);
    const rows = await recorded(site, 7);
    expect(rows.map(({ path, status }) => [path, status])).toEqual([
      ...Array<unknown>(6).fill(['/docs/', 200]),
      ['/', 308],
    ]);
  });

  it('requests to missing sites and to the service’s own addresses are not recorded', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const before = await stele.query('select count(*)::int as n from access_entries');
    await rawRequestsTo(stele.port, `no-such-site.localhost:${stele.port}`)('/');
    await rawRequestsTo(stele.port, 'elsewhere.example')('/');
    await rawRequestsTo(stele.port, `localhost:${stele.port}`)(`/s/no-such-site/`);
    await rawRequestsTo(stele.port, `localhost:${stele.port}`)('/health');
    await visit(site)('/');
    await recorded(site, 1);
    const after = await stele.query('select count(*)::int as n from access_entries');
    expect(Number(after[0]?.n) - Number(before[0]?.n)).toBe(1);
  });

  it('requests are classified as coming from a person, a robot, a prefetch or the service’s own probe', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const get = visit(site);
    await get('/', PERSON);
    await get('/', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    await get('/');
    await get('/', { ...PERSON, 'sec-purpose': 'prefetch' });
    await get('/', { 'user-agent': 'Stele-Probe/1' });
    const rows = await recorded(site, 5);
    expect(rows.map(({ client, browser, system, device }) => [client, browser, system, device])).toEqual([
      ['person', 'Firefox', 'Linux', 'desktop'],
      ['robot', null, null, null],
      ['robot', null, null, null],
      ['prefetch', 'Firefox', 'Linux', 'desktop'],
      ['probe', null, null, null],
    ]);
  });

  it('a visitor’s requests are linked for a day by the client address, unless the browser objects to tracking', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const get = visit(site);
    const from = (address: string) => ({ ...PERSON, 'x-forwarded-for': address });
    await get('/', from('192.0.2.1'));
    await get('/', from('6.6.6.6, 192.0.2.1'));
    await get('/', from('192.0.2.2'));
    await get('/', from('2001:db8::1'));
    await get('/', from('2001:db8::2'));
    await get('/', { ...from('192.0.2.1'), dnt: '1' });
    await get('/', { ...from('192.0.2.1'), 'sec-gpc': '1' });
    const rows = await recorded(site, 7);
    const [first, again, other, v6, neighbour, ...objecting] = rows.map(({ visitor }) => visitor);
    expect(first).toMatch(/^-?\d+$/);
    expect([again === first, other === first, v6 === first, neighbour === v6]).toEqual([true, false, false, true]);
    expect(objecting).toEqual([null, null]);
    expect(rows.every(({ client }) => client === 'person')).toBe(true);
  });

  it('requests are not linked to a visitor on sites whose visits are not counted', async () => {
    const site = await make(stele, { 'index.html': 'hello' }, false);
    const get = visit(site);
    await get('/', PERSON);
    await set(stele, site, { name: 'analytics', enabled: true });
    await get('/', PERSON);
    await get('/', PERSON);
    await set(stele, site, { name: 'analytics', enabled: false });
    await get('/', PERSON);
    const rows = await recorded(site, 4);
    expect(rows.map(({ counted, visitor }) => [counted, visitor !== null])).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [false, false],
    ]);
  });

  it('the referrer’s host is recorded if it is not the site’s own', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const get = visit(site);
    for (const referer of [
      'https://news.example/story?session=secret',
      `http://${hostOf(stele, site)}/docs/`,
      `http://dep-${site.deployId.slice(4)}.localhost:${stele.port}/`,
      'about:blank',
      `https://${'x'.repeat(7_000)}/`,
    ])
      await get('/', { ...PERSON, referer });
    const rows = await recorded(site, 5);
    expect(rows.map(({ referrer }) => referrer)).toEqual(['news.example', null, null, null, null]);
  });

  it('requests to the password page are recorded, but without the submitted form', async () => {
    const { bearer } = await signIn(stele, 'ann@example.org');
    const files = [{ path: 'index.html', content: 'hello' }];
    const { body: made } = await stele.api.post('/v1/deploy').set(bearer).send({ files }).expect(200);
    const { body: site } = await stele.api.get(`/v1/sites/${made.slug}`).set(bearer).expect(200);
    await stele.api
      .post(`/v1/sites/${site.slug}/access`)
      .set(bearer)
      .send({ visibility: 'password', password: 'open sesame' })
      .expect(200);
    const visitor = visitorOf(stele, hostOf(stele, site));
    await visitor.visit('/', NAVIGATION);
    await visitor.visit('/');
    const cookie = await visitor.byPassword('open sesame');
    await visitor.visit('/', cookie);
    const rows = await recorded(site, 3);
    expect(rows.map(({ status, is_page }) => [status, is_page])).toEqual([
      [303, false],
      [401, false],
      [200, true],
    ]);
  });

  it('if a visitor disconnects early, the bytes actually sent are recorded', async () => {
    const site = await make(stele, { 'index.html': 'hello', 'large.bin': Buffer.alloc(20_000_000, 'x') });
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(`GET /large.bin HTTP/1.1\r\nhost: ${hostOf(stele, site)}\r\n\r\n`);
    await new Promise<void>((resolve) => socket.once('readable', () => resolve()));
    socket.resetAndDestroy();
    const [row] = await recorded(site, 1);
    expect(row).toMatchObject({ path: '/large.bin', status: 200 });
    expect(Number(row?.bytes)).toBeLessThan(20_000_000);
  });

  it('requests are recorded as displayable text, whatever bytes they contain', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const host = hostOf(stele, site);
    for (const head of [
      `GET /a%00b%1b[31m HTTP/1.1\r\nhost: ${host}`,
      `GET /%ff HTTP/1.1\r\nhost: ${host}`,
      `GET /${'y'.repeat(7_000)} HTTP/1.1\r\nhost: ${host}`,
      `GET /n HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${'\u00ff'.repeat(15_000)}`,
      `GET /n HTTP/1.1\r\nhost: ${host}\r\nuser-agent: \\N\\.\t;drop table`,
      `M-SEARCH /n HTTP/1.1\r\nhost: ${host}`,
    ])
      expect((await sendRaw(stele.port, `${head}\r\n\r\n`)).status).toBeGreaterThanOrEqual(400);
    const rows = await recorded(site, 6);
    expect(rows.map(({ method, path }) => [method, path.slice(0, 8), path.length])).toEqual([
      ['GET', '/a\ufffdb\ufffd[31', 9],
      ['GET', '/%ff', 4],
      ['GET', '/yyyyyyy', 128],
      ['GET', '/n', 2],
      ['GET', '/n', 2],
      ['OTHER', '/n', 2],
    ]);
  });

  it('no address, user agent or query is stored anywhere in the database', async () => {
    const site = await make(stele, { 'index.html': 'hello' });
    const marked = { 'user-agent': `${FIREFOX} Marked/4711`, 'x-forwarded-for': '203.0.113.77' };
    const referer = 'https://news.example/?of=query-4711';
    for (let times = 0; times < 3; times++) await visit(site)('/?q=query-4711', { ...marked, referer });
    await recorded(site, 3);
    const tables = await stele.query(
      "select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    expect(tables.length).toBeGreaterThan(15);
    for (const { name } of tables) {
      const [found] = await stele.query(
        `select count(*)::int as n from ${name} t where t::text ~ '203\\.0\\.113\\.77|query-4711|Marked/|Gecko'`,
      );
      expect([name, found?.n]).toEqual([name, 0]);
    }
  });

  it('requests are counted in the metrics', async () => {
    const { text } = await stele.raw.get('/metrics').set('host', `127.0.0.1:${stele.port}`).expect(200);
    expect(Number(/^stele_access_entries_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(40);
    expect(text).toMatch(/^stele_access_dropped_total 0$/m);
    expect(text).toMatch(/^stele_access_batches_failed_total 0$/m);
    expect(text).toMatch(/^stele_access_waiting \d+$/m);
  });
});

describe('Recording requests to a custom domain', () => {
  let domains: DomainsUnderTest;
  beforeAll(async () => {
    domains = await DomainsUnderTest.start();
  }, 180_000);
  afterAll(() => domains?.close());

  it('requests to a custom domain are recorded, without the site’s own host names as referrers', async () => {
    const slug = await domains.site('otters');
    await domains.active(slug, 'otters.com');
    const { body: site } = await domains.stele.api.get(`/v1/sites/${slug}`).expect(200);
    for (let times = 0; times < 2; times++) await domains.visit('otters.com', '/docs/');
    await domains.visit('otters.com', '/', { referer: `http://${slug}.localhost/` });
    await rawRequestsTo(domains.stele.port, `${slug}.localhost`)('/', { referer: 'https://otters.com/docs/' });
    const rows = await recordedRequests(domains.stele, site.id, 4);
    expect(rows.map(({ path, status, referrer }) => [path, status, referrer])).toEqual([
      ['/docs/', 200, null],
      ['/docs/', 200, null],
      ['/', 200, null],
      ['/', 200, null],
    ]);
  });
});

describe('A service that keeps no request entries', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('recording-none');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ACCESS_KEPT: '0' } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('with STELE_ACCESS_KEPT=0, request entries are kept only for sites whose visits are counted', async () => {
    const [counted, other] = [
      await make(stele, { 'index.html': 'a' }),
      await make(stele, { 'index.html': 'b' }, false),
    ];
    for (const site of [other, other, counted, counted]) await rawRequestsTo(stele.port, hostOf(stele, site))('/');
    await recordedRequests(stele, counted.id, 2);
    expect(await stele.query('select distinct site_id from access_entries')).toEqual([{ site_id: counted.id }]);
  });
});

it('an unreadable country database prevents the start, and the error names the file', async () => {
  const { folder, remove } = await temporaryFolder('recording-countries');
  const missing = `${folder}/countries.mmdb`;
  await expect(startStele({ folder, env: { STELE_GEOIP: missing } })).rejects.toThrow(
    `STELE_GEOIP: could not read ${missing}`,
  );
  await remove();
}, 180_000);
