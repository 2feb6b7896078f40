import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sized } from '../../support/jest/sized.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { historyOf } from '../../support/sites/history.js';

/**
 * Number of sites that expire at the same time. It is limited, because the test rereads the log until every expiry is
 * recorded.
 */
const AT_ONCE = sized(1_000, 200);

const OPERATOR_TOKEN = 'operator-token-of-tests';

type Site = { slug: string; deployId: string; editToken: string; expiresAt: string; previewUrl: string };

describe('Site expiry', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('expiry');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ADMIN_TOKEN: OPERATOR_TOKEN } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const deploy = (query: string) => stele.api.post(`/v1/deploy?${query}`).type('html').send('<p>for a while</p>');
  const recorded = async () => (await stele.log()).filter(({ type }) => type === 'SiteExpired');
  /** Waits until the expiry of a site is recorded, and returns the events that record it. */
  async function expiriesOf(id: string) {
    for (;;) {
      const expiries = (await recorded()).filter(({ stream }) => stream === `site-${id}`);
      if (expiries.length > 0) return expiries;
      await delay(50);
    }
  }
  /** Waits until a site has expired, and 2 ms longer, because a timer may fire a millisecond early. */
  const until = (site: Site) => delay(Math.max(0, Date.parse(site.expiresAt) - Date.now()) + 2);

  /** Creates a site that soon expires, and visits it before then. Retries with a later expiry if that took too long. */
  async function fleeting(name: string) {
    for (let seconds = 4; ; seconds *= 2) {
      const slug = `${name}-${seconds}`;
      const { body: site }: { body: Site } = await deploy(`slug=${slug}&expires=${seconds}s`).expect(200);
      const { status, text } = await stele.visit(slug);
      const shown = await stele.api.get(`/v1/sites/${slug}`);
      if (status === 410 || shown.status === 410) continue;
      expect([status, text, shown.status]).toEqual([200, '<p>for a while</p>', 200]);
      return { site, slug, id: shown.body.id as string };
    }
  }

  it.each([
    ['50', 50],
    ['90s', 90],
    ['2m', 120],
    ['3h', 10_800],
    ['30d', 2_592_000],
  ])('a site with expires=%s expires after %d seconds', async (expires, seconds) => {
    const { body } = await deploy(`expires=${expires}`).expect(200);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(seconds * 1_000);
    const { body: site } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    expect(site.expiresAt).toBe(body.expiresAt);
  });

  it.each(['0', '31d', '1w', '-1', '1.5h', 'soon', '', '999999999999'])('expires=%s is refused', async (expires) => {
    const { body } = await deploy(`expires=${expires}`).expect(400);
    expect(body).toMatchObject({ code: 'invalid_expires', errors: [{ path: 'expires' }] });
  });

  it('an expired site is gone at every address and in the API, and its name stays reserved', async () => {
    const { body: other } = await deploy('slug=lasting').expect(200);
    const { site, slug, id } = await fleeting('fleeting');

    await until(site);
    await stele.visit(slug).expect(410);
    await stele.visit(`dep-${site.deployId.slice(4)}`).expect(410);
    await stele.api.get(`/s/${slug}/`).expect(410);
    expect((await stele.api.get(`/v1/sites/${slug}`).expect(410)).body.code).toBe('site_expired');
    const patch = stele.api.patch(`/v1/deploy?slug=${slug}`).set('x-svc-edit-token', site.editToken);
    expect((await patch.type('html').send('again').expect(410)).body.code).toBe('site_expired');
    expect((await deploy(`slug=${slug}`).expect(409)).body.code).toBe('slug_taken');

    // The service reserves the slug before it records the expiry.
    expect(await expiriesOf(id)).toMatchObject([{ data: '{}' }]);
    const reserved = (await stele.log()).find(
      ({ stream, type }) => stream === `slug-${slug}` && type === 'SlugReserved',
    );
    const { until: kept } = JSON.parse(reserved?.data ?? '{}');
    expect(Date.parse(kept) - Date.parse(site.expiresAt)).toBe(30 * 86_400_000);
    expect(await historyOf(stele, 'lasting', other.editToken)).toHaveLength(2);
  }, 180_000);

  it('a site that was taken down returns 451 at every address and in the API, even after it has expired', async () => {
    const { site, slug, id } = await fleeting('taken-down');
    await stele.api
      .post(`/v1/admin/sites/${slug}/takedown`)
      .set('authorization', `Bearer ${OPERATOR_TOKEN}`)
      .send({ reason: 'phishing' })
      .expect(200);
    const detail = 'The operator of this service has taken this site down.';
    const check = async () => {
      const pages = [
        await stele.visit(slug),
        await stele.visit(`dep-${site.deployId.slice(4)}`),
        await stele.api.get(`/s/${slug}/`),
      ];
      for (const { status, text } of pages) expect([status, text]).toEqual([451, expect.stringContaining(detail)]);
      const host = `${slug}.localhost:${stele.port}`;
      const problems = [
        await stele.api.get(`/v1/sites/${slug}`),
        await stele.api.patch(`/v1/deploy?slug=${slug}`).set('x-svc-edit-token', site.editToken).type('html').send('x'),
        await stele.api.post(`/v1/sites/${slug}/connector/invoke`).send({ input: 1 }),
        await stele.raw.post('/.stele/invoke').set({ host }).send({ input: 1 }),
      ];
      for (const { body } of problems) expect(body).toMatchObject({ status: 451, code: 'taken_down', detail });
    };

    await until(site);
    await check();
    await expiriesOf(id);
    await check();
  }, 180_000);

  it(`${AT_ONCE} sites that expire at the same time all expire on time, even across a restart`, async () => {
    const sites: Site[] = [];
    for (let batch = 0; batch < AT_ONCE / 50; batch++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => deploy('expires=20s')));
      sites.push(...answers.map(({ body }) => body));
    }
    await stele.stop('SIGKILL');
    stele = await startStele({ folder: temporary.folder });

    const last = sites.reduce((a, b) => (a.expiresAt > b.expiresAt ? a : b));
    const { status } = await stele.visit(last.slug);
    // On a slow machine, the site may expire before the service has restarted.
    if (Date.now() < Date.parse(last.expiresAt)) expect(status).toBe(200);
    await until(last);
    for (const { slug } of sites.slice(-20)) await stele.visit(slug).expect(410);

    // A site stops responding as soon as it has expired, but the event `SiteExpired` is recorded a little later.
    for (;;) {
      const told = await stele.log();
      const expired = new Set(told.filter(({ type }) => type === 'SiteExpired').map(({ stream }) => stream));
      const isDue = (data: string) => JSON.parse(data).expiresAt <= last.expiresAt;
      if (told.every(({ type, stream, data }) => type !== 'SiteExpirySet' || !isDue(data) || expired.has(stream)))
        break;
      await delay(100);
    }
    const log = await stele.log();
    expect((await recorded()).length).toBeGreaterThan(sites.length);
    const dueAt = new Map(
      log
        .filter(({ type }) => type === 'SiteExpirySet')
        .map(({ stream, data }) => [stream, JSON.parse(data).expiresAt]),
    );
    const early = log.filter(({ type, stream, at }) => type === 'SiteExpired' && at < (dueAt.get(stream) ?? ''));
    expect(early).toEqual([]);
  }, 240_000);

  it('if a default expiry is configured, it applies to anonymous sites unless another expiry was chosen', async () => {
    const { folder, remove } = await temporaryFolder('anonymous-ttl');
    const own = await startStele({ folder, env: { STELE_ANONYMOUS_TTL: '7d' } });
    try {
      const ann = await signIn(own, 'ann@example.org');
      const post = (query = '', headers = {}) =>
        own.api.post(`/v1/deploy${query}`).set(headers).type('html').send('<p>').expect(200);
      const days = ({ expiresAt, createdAt }: { expiresAt: string; createdAt: string }) =>
        (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
      const { body: site } = await post();
      expect(days(site)).toBe(7);
      expect(days((await post('?expires=2d')).body)).toBe(2);
      expect((await post('', ann.bearer)).body).not.toHaveProperty('expiresAt');
      const redeployed = own.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', site.editToken);
      expect((await redeployed.type('html').send('<p>2').expect(200)).body).not.toHaveProperty('expiresAt');
      const { expiresAt } = (await own.api.get(`/v1/sites/${site.slug}`).expect(200)).body;
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(site.expiresAt));
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 7 * 86_400_000);
      expect((await own.api.get('/v1/limits').expect(200)).body.deploy).toMatchObject({ expiresAfter: 604_800 });
      expect((await own.api.get('/v1/limits').set(ann.bearer).expect(200)).body.deploy).toMatchObject({
        expiresAfter: null,
      });
    } finally {
      await own.stop();
      await remove();
    }
  }, 180_000);
});
