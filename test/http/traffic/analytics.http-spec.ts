import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { AccessEntry } from '../../../src/modules/traffic/record/tables/access-entry.js';
import { signIn } from '../../support/people/sign-in.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { entryOf, writeEntries } from '../../support/traffic/entries.js';

type Made = { readonly id: string; readonly slug: string; readonly as: Record<string, string> };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const dayOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
/**
 * If less than this time is left until midnight (UTC), the tests wait for it, because the day must not change while
 * they run.
 */
const LONGEST_RUN_MS = 180_000;
const iso = (at: number) => new Date(at).toISOString();
const dateOf = (at: number) => iso(at).slice(0, 10);

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const operator = { authorization: 'Bearer operator-token-of-tests' };

describe('Site analytics', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let pool: Pool;
  let today: number;
  beforeAll(async () => {
    const tomorrow = dayOf(Date.now()) + DAY_MS;
    if (tomorrow - Date.now() < LONGEST_RUN_MS) await delay(tomorrow - Date.now());
    today = dayOf(Date.now());
    temporary = await temporaryFolder('analytics');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_ADMIN_TOKEN: 'operator-token-of-tests', STELE_RATE_LIMITS: 'off' },
    });
    pool = new Pool(stele.database);
  }, LONGEST_RUN_MS + 60_000);
  afterAll(async () => {
    await pool?.end();
    await stele?.stop();
    await temporary.remove();
  });

  async function make({ isCounted = true } = {}): Promise<Made> {
    const files = [{ path: 'index.html', content: '<h1>Here</h1>' }];
    const { body } = await stele.api.post('/v1/deploy').send({ files }).expect(200);
    const as = { 'x-svc-edit-token': body.editToken };
    const made = { slug: body.slug, as };
    if (isCounted) await setCounted(made, true);
    const { body: site } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    return { ...made, id: site.id };
  }
  const setCounted = ({ slug, as }: Pick<Made, 'slug' | 'as'>, enabled: boolean) =>
    stele.api.post(`/v1/sites/${slug}/capabilities`).set(as).send({ name: 'analytics', enabled }).expect(200);
  const ask = ({ slug, as }: Made, query: Record<string, string> = {}) =>
    stele.api.get(`/v1/sites/${slug}/analytics`).query(query).set(as);
  const write = ({ id }: Made, entries: readonly Partial<AccessEntry>[]) =>
    writeEntries(
      pool,
      entries.map((entry) => entryOf({ ...entry, siteId: id })),
    );

  /** Polls until this many pageviews are counted, which may take some seconds. */
  async function counted(site: Made, pageviews: number, query: Record<string, string> = {}) {
    for (;;) {
      const { body } = await ask(site, query).expect(200);
      if (body.totals.pageviews >= pageviews) return body;
      await delay(100);
    }
  }

  it('visits are counted, and listed by page, referrer and browser', async () => {
    const site = await make();
    const yesterday = today - DAY_MS;
    const firefox = { browser: 'Firefox', system: 'Linux', device: 'desktop', country: 'NO' };
    await write(site, [
      { at: yesterday + 10 * HOUR_MS, path: '/', visitor: 1n, referrer: 'search.example', ...firefox },
      { at: yesterday + 10 * HOUR_MS + 60_000, path: '/about', visitor: 1n, ...firefox },
      { at: yesterday + 10 * HOUR_MS + 120_000, path: '/style.css', visitor: 1n, isPage: false, bytes: 900 },
      { at: yesterday + 12 * HOUR_MS, path: '/about', visitor: 1n, status: 304, bytes: 0, ...firefox },
      { at: yesterday + 13 * HOUR_MS, path: '/about', visitor: 2n, browser: 'Safari', device: 'mobile' },
      { at: yesterday + 13 * HOUR_MS, path: '/', visitor: null, hits: 4, bytes: 400 },
      { at: yesterday + 14 * HOUR_MS, path: '/lost', visitor: 2n, status: 404, isPage: false, hits: 2 },
      { at: yesterday + 15 * HOUR_MS, path: '/', client: 'robot', visitor: null, hits: 7 },
      { at: yesterday + 15 * HOUR_MS, path: '/', client: 'probe', visitor: null },
      { at: yesterday + 16 * HOUR_MS, path: '/', counted: false, visitor: null },
      { at: today, path: '/', visitor: 3n },
      { at: yesterday - DAY_MS, path: '/', visitor: 4n, bytes: 50 },
    ]);
    await pool.query('insert into access_dropped values ($1, $2, 12)', [site.id, dateOf(yesterday)]);
    const range = { from: dateOf(yesterday), to: dateOf(today) };
    const body = await counted(site, 9, range);
    expect(body).toEqual({
      from: iso(yesterday),
      to: iso(today + DAY_MS),
      interval: 'day',
      totals: { visits: 4, visitors: 3, pageviews: 9, bytes: 100 + 100 + 900 + 0 + 100 + 400 + 100 + 100 + 100 },
      previous: { visits: 1, visitors: 1, pageviews: 1, bytes: 50 },
      visitorsAre: 'sum of days',
      series: [
        { at: iso(yesterday), visits: 3, visitors: 2, pageviews: 8 },
        { at: iso(today), visits: 1, visitors: 1, pageviews: 1 },
      ],
      pages: [
        { path: '/', visits: 2, visitors: 2, pageviews: 6 },
        { path: '/about', visits: 3, visitors: 2, pageviews: 3 },
      ],
      entries: [
        { path: '/', visits: 2 },
        { path: '/about', visits: 2 },
      ],
      referrers: [{ host: 'search.example', visits: 1 }],
      notFound: [{ path: '/lost', hits: 2 }],
      statuses: [
        { status: 200, hits: 16 },
        { status: 404, hits: 2 },
        { status: 304, hits: 1 },
      ],
      browsers: [
        { name: 'Firefox', visits: 2, pageviews: 3 },
        { name: 'Safari', visits: 1, pageviews: 1 },
      ],
      systems: [{ name: 'Linux', visits: 2, pageviews: 3 }],
      devices: [
        { name: 'desktop', visits: 2, pageviews: 3 },
        { name: 'mobile', visits: 1, pageviews: 1 },
      ],
      countries: [{ name: 'NO', visits: 2, pageviews: 3 }],
      bots: { hits: 7 },
      dropped: 12,
    });

    const hours = await counted(site, 3, {
      from: iso(yesterday + 10 * HOUR_MS),
      to: iso(yesterday + 13 * HOUR_MS),
      interval: 'hour',
    });
    expect(hours).toMatchObject({
      totals: { visits: 2, visitors: 1, pageviews: 3 },
      visitorsAre: 'exact',
      series: [
        { at: iso(yesterday + 10 * HOUR_MS), visits: 1, visitors: 1, pageviews: 2 },
        { at: iso(yesterday + 11 * HOUR_MS), visits: 0, visitors: 0, pageviews: 0 },
        { at: iso(yesterday + 12 * HOUR_MS), visits: 1, visitors: 1, pageviews: 1 },
      ],
      pages: [
        { path: '/about', visits: 2, visitors: 1, pageviews: 2 },
        { path: '/', visits: 1, visitors: 1, pageviews: 1 },
      ],
    });
    const months = await counted(site, 9, { ...range, interval: 'month' });
    expect(months.series.reduce((sum: number, { pageviews }: { pageviews: number }) => sum + pageviews, 0)).toBe(9);

    const { text, headers } = await ask(site, range).set('accept', 'text/csv').expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(text).toBe(`at,visits,visitors,pageviews\r\n${iso(yesterday)},3,2,8\r\n${iso(today)},1,1,1\r\n`);
  }, 180_000);

  it('analytics include a visit within a minute, and show the last 30 days by default', async () => {
    const site = await make();
    const visit = rawRequestsTo(stele.port, `${site.slug}.localhost:${stele.port}`);
    for (const path of ['/', '/none', '/']) await visit(path, { 'user-agent': FIREFOX });
    await visit('/', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    const body = await counted(site, 2);
    expect(body).toMatchObject({
      from: iso(today - 29 * DAY_MS),
      to: iso(today + DAY_MS),
      interval: 'day',
      totals: { visits: 1, visitors: 1, pageviews: 2 },
      pages: [{ path: '/', visits: 1, visitors: 1, pageviews: 2 }],
      entries: [{ path: '/', visits: 1 }],
      notFound: [{ path: '/none', hits: 1 }],
      dropped: 0,
    });
    expect(body.series).toHaveLength(30);
  }, 180_000);

  it.each<[string, Record<string, string>, string]>([
    ['a value that is not a time', { from: 'yesterday' }, 'from'],
    ['a day that does not exist', { to: '2026-02-30' }, 'to'],
    ['a time without a zone', { from: '2026-11-20T10:00:00' }, 'from'],
    ['an absurd year as the start', { from: '0001-01-01' }, 'from'],
    ['an absurd year as the end', { to: '9999-12-31' }, 'to'],
    ['an end before the start', { from: '2026-02-01', to: '2026-01-01' }, 'from'],
    ['a range of centuries', { from: '2000-01-01', to: '2900-01-01' }, 'from'],
    ['too many hours', { from: dateOf(Date.now() - 40 * DAY_MS), interval: 'hour' }, 'from'],
    ['an unknown interval', { interval: 'week' }, 'interval'],
    ['an empty value', { from: '' }, 'from'],
    ['an hour that does not exist', { from: '2026-01-01T29:00:00Z' }, 'from'],
  ])('a query with %s is refused, and the error names the field', async (_, query, path) => {
    const { body } = await ask(await make(), query).expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it('analytics return 403 while the counting of visits is disabled', async () => {
    const site = await make({ isCounted: false });
    expect((await ask(site).expect(403)).body.code).toBe('capability_disabled');
    await setCounted(site, true);
    const { headers, body } = await ask(site).expect(200);
    expect(headers['stele-position']).toMatch(/^\d+$/);
    expect(body.totals).toEqual({ visits: 0, visitors: 0, pageviews: 0, bytes: 0 });
    await setCounted(site, false);
    expect((await ask(site).expect(403)).body.code).toBe('capability_disabled');
  });

  it('only those who can read the site’s history can read its analytics', async () => {
    const site = await make({ isCounted: false });
    const route = `/v1/sites/${site.slug}/analytics`;
    expect((await stele.api.get(route).expect(401)).body.code).toBe('unauthenticated');
    const stranger = await signIn(stele, 'stranger@example.org');
    expect((await stele.api.get(route).set(stranger.bearer).expect(403)).body.code).toBe('forbidden');
    expect((await stele.api.get('/v1/sites/there-is-none/analytics').expect(404)).body.code).toBe('site_not_found');
  });

  it('deleting the site deletes its analytics and request entries', async () => {
    const site = await make();
    await write(site, [{ at: today }, { at: today - DAY_MS }]);
    await counted(site, 2);
    await stele.api.delete(`/v1/sites/${site.slug}`).set(site.as).expect(204);
    const left = async () => {
      const tables = ['access_entries', 'traffic_hours', 'traffic_days'];
      const counts = tables.map((table) => `(select count(*) from ${table} where site_id = '${site.id}')`);
      return Number((await pool.query(`select ${counts.join(' + ')} as left`)).rows[0].left);
    };
    while ((await left()) > 0) await delay(100);
    await ask(site).expect(404);
  }, 180_000);

  it('the operator can see totals for all sites, including sites whose visits are not counted', async () => {
    const [one, other] = [await make(), await make({ isCounted: false })];
    await write(one, [{ at: today, hits: 1_000_000, bytes: 5 }]);
    await write(other, [{ at: today, hits: 2_000_000, counted: false, visitor: null }]);
    const route = '/v1/admin/traffic';
    const { body } = await stele.api.get(route).query({ limit: '2' }).set(operator).expect(200);
    expect(body).toMatchObject({ page: 1, limit: 2, from: iso(today - 7 * DAY_MS) });
    expect(body.items).toEqual([
      { siteId: other.id, slug: other.slug, hits: 2_000_000, pageviews: 2_000_000, bytes: 100, bots: 0, errors: 0 },
      { siteId: one.id, slug: one.slug, hits: 1_000_000, pageviews: 1_000_000, bytes: 5, bots: 0, errors: 0 },
    ]);
    expect(body.total).toBeGreaterThanOrEqual(2);
    const past = { from: dateOf(today - 3 * DAY_MS), to: dateOf(today - 3 * DAY_MS) };
    expect((await stele.api.get(route).query(past).set(operator).expect(200)).body).toMatchObject({
      items: [],
      total: 0,
    });
    expect((await stele.api.get(route).query({ from: 'x' }).set(operator).expect(400)).body.errors[0].path).toBe(
      'from',
    );
    expect((await stele.api.get(route).expect(401)).body.code).toBe('unauthenticated');
    const { bearer } = await signIn(stele, 'curious@example.org');
    expect((await stele.api.get(route).set(bearer).expect(403)).body.code).toBe('forbidden');
  });
});
