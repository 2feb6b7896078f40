import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainsUnderTest } from '../../support/dns/domains-under-test.js';
import { recordsIn, zoneOf } from '../../support/dns/zone-file.js';
import { NAVIGATION, visitorOf } from '../../support/people/site-visitor.js';

describe('Custom domains', () => {
  let domains: DomainsUnderTest;
  beforeAll(async () => {
    domains = await DomainsUnderTest.start();
  }, 180_000);
  afterAll(() => domains?.close());

  it('a domain shows the site as soon as DNS is correct, and appears in the site’s history', async () => {
    const slug = await domains.site('otters');
    const { body, headers } = await domains.add(slug, { hostname: 'WWW.Otters.com.' }).expect(201);
    expect(body).toMatchObject({
      hostname: 'www.otters.com',
      slug,
      status: 'pending',
      verification: {
        type: 'TXT',
        name: '_stele.www.otters.com',
        value: expect.stringMatching(/^stele=[0-9a-f]{32}$/),
      },
      target: { type: 'CNAME', name: 'www.otters.com', value: `${slug}.localhost` },
      redirectTo: null,
      visibility: null,
      hsts: false,
      activeAt: null,
      warning: null,
      pair: 'otters.com',
    });
    expect(headers).toMatchObject({ 'stele-revision': expect.any(String), 'stele-position': expect.any(String) });
    expect((await domains.visit('www.otters.com')).status).toBe(421);

    const checked = await domains.checkNow(slug, 'www.otters.com');
    expect(checked).toMatchObject({ status: 'pending', checkedAt: expect.any(String), error: expect.any(String) });
    expect(checked.records.map(({ type, state }) => [type, state])).toEqual(
      expect.arrayContaining([
        ['TXT', 'missing'],
        ['CNAME', 'missing'],
      ]),
    );

    domains.setRecordsOf(body);
    const active = await domains.until(slug, 'www.otters.com', 'active');
    expect(active.error).toBeUndefined();
    expect(await domains.shown('www.otters.com')).toEqual([200, 'otters']);
    expect(await domains.shown('www.otters.com', '/docs/')).toEqual([200, 'otters docs']);
    expect((await domains.history(slug)).slice(0, 2)).toEqual([
      'Domain www.otters.com is live',
      'Domain www.otters.com added',
    ]);
    const { body: list } = await domains.list(slug).expect(200);
    expect(list).toMatchObject({ total: 1, items: [{ hostname: 'www.otters.com', status: 'active' }] });
  });

  it('a new domain is checked automatically shortly after it was added', async () => {
    const slug = await domains.site('seals');
    domains.set({ 'seals.com': { CNAME: `${slug}.localhost` } });
    await domains.add(slug, { hostname: 'seals.com' }).expect(201);
    for (const end = Date.now() + 25_000; ; ) {
      const { body } = await domains.list(slug).expect(200);
      const [{ checkedAt, error }] = body.items;
      if (checkedAt !== null) {
        expect(error).toMatch(/_stele\.seals\.com/);
        break;
      }
      expect(Date.now()).toBeLessThan(end);
    }
  }, 180_000);

  it('a removed domain no longer shows the site, and can be added again', async () => {
    const slug = await domains.site('gone');
    const before = await domains.active(slug, 'www.gone.com');
    await domains.stele.api.delete(`/v1/sites/${slug}/domains/www.gone.com`).set(domains.ann.bearer).expect(204);
    expect((await domains.visit('www.gone.com')).status).toBe(421);
    expect((await domains.list(slug).expect(200)).body.items).toEqual([]);
    expect((await domains.history(slug))[0]).toBe('Domain www.gone.com removed');

    const { body: anew } = await domains.add(slug, { hostname: 'www.gone.com' }).expect(201);
    expect(anew.verification.value).not.toBe(before.verification.value);
    expect(await domains.checkNow(slug, 'www.gone.com')).toMatchObject({ status: 'pending' });
  });

  it('a domain can be moved to another site of its owner without downtime', async () => {
    const [from, to] = [await domains.site('from'), await domains.site('to')];
    await domains.active(from, 'www.moving.com');
    const foreign = await domains.site('foreign', domains.bob);
    await domains.add(foreign, { hostname: 'www.moving.com', from }, domains.bob).expect(403);
    let isMoved = false;
    const begun: PromiseWithResolvers<void>[] = [];
    const visits = Array.from({ length: 5 }, async (_, n) => {
      const seen: string[] = [];
      begun[n] = Promise.withResolvers<void>();
      for (let isLast = false; !isLast; begun[n].resolve()) {
        isLast = isMoved;
        const [status, page] = await domains.shown('www.moving.com');
        seen.push(`${status} ${isLast ? 'afterwards' : 'before or during'}: ${page}`);
      }
      return seen;
    });
    await Promise.all(begun.map(({ promise }) => promise));
    const { body } = await domains.add(to, { hostname: 'www.moving.com', from }).expect(201);
    isMoved = true;
    expect(body).toMatchObject({ slug: to, status: 'active' });
    const seen = new Set((await Promise.all(visits)).flat());
    seen.delete('200 before or during: to');
    expect([...seen].sort()).toEqual(['200 afterwards: to', '200 before or during: from']);
    expect((await domains.history(from))[0]).toBe('Domain www.moving.com removed');
    expect((await domains.history(to)).slice(0, 2)).toEqual([
      'Domain www.moving.com is live',
      'Domain www.moving.com added',
    ]);
    await domains.add(to, { hostname: 'www.moving.com', from }).expect(201);
  });

  it.each([
    ['www.zone.com', ['CNAME']],
    ['zone.com', ['A', 'AAAA']],
  ])('the zone file lines returned for %s are sufficient to activate the domain', async (hostname, types) => {
    const slug = await domains.site('zone');
    await domains.add(slug, { hostname }).expect(201);
    const path = `/v1/sites/${slug}/domains/${hostname}/zone`;
    const { text, headers } = await domains.stele.api.get(path).set(domains.ann.bearer).expect(200);
    expect(headers['content-type']).toBe('text/dns; charset=utf-8');
    const records = recordsIn(text);
    expect(records.map(({ type }) => type)).toEqual(['TXT', ...types]);
    domains.set(zoneOf(records));
    await domains.until(slug, hostname, 'active');
    await domains.stele.api.get(path).set(domains.bob.bearer).expect(403);
  });

  it('a domain can redirect to another domain of the site as long as that other domain is active', async () => {
    const slug = await domains.site('pair');
    await domains.add(slug, { hostname: 'www.pair.com', redirectTo: 'pair.com' }).expect(400);
    const { body: apex } = await domains.add(slug, { hostname: 'pair.com' }).expect(201);
    await domains.active(slug, 'www.pair.com', { redirectTo: 'pair.com' });
    expect(await domains.shown('www.pair.com', '/docs/')).toEqual([200, 'pair docs']);
    domains.setRecordsOf(apex);
    await domains.until(slug, 'pair.com', 'active');
    const elsewhere = `http://pair.com:${domains.stele.port}/docs/?a=b`;
    expect(await domains.shown('www.pair.com', '/docs/?a=b')).toEqual([308, elsewhere]);
    expect(await domains.shown('www.pair.com', '/docs/')).toEqual([308, elsewhere.replace('?a=b', '')]);
    expect(await domains.shown('pair.com', '/docs/')).toEqual([200, 'pair docs']);
    const { body } = await domains.add(slug, { hostname: 'pair.com', redirectTo: 'www.pair.com' }).expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'redirectTo' }] });
  });

  it('a domain still works after its site is renamed, and stops working when the site is deleted', async () => {
    const slug = await domains.site('changing');
    await domains.active(slug, 'www.changing.com');
    const renamed = `${slug}-anew`;
    await domains.stele.api
      .post(`/v1/sites/${slug}/rename`)
      .set(domains.ann.bearer)
      .send({ slug: renamed })
      .expect(200);
    expect(await domains.shown('www.changing.com')).toEqual([200, 'changing']);

    const access = { visibility: 'members' };
    await domains.stele.api.post(`/v1/sites/${renamed}/access`).set(domains.ann.bearer).send(access).expect(200);
    expect((await domains.visit('www.changing.com')).status).toBe(401);

    await domains.stele.api.delete(`/v1/sites/${renamed}`).set(domains.ann.bearer).expect(204);
    expect((await domains.visit('www.changing.com')).status).toBe(404);
    const next = await domains.site('next', domains.bob);
    await domains.active(next, 'www.changing.com', {}, domains.bob);
    expect(await domains.shown('www.changing.com')).toEqual([200, 'next']);
  });

  it('a domain can have an access setting that differs from its site’s', async () => {
    const slug = await domains.site('partly');
    await domains.active(slug, 'www.partly.com');
    const set = (body: object) =>
      domains.stele.api
        .post(`/v1/sites/${slug}/domains/access`)
        .set(domains.ann.bearer)
        .send({ hostname: 'www.partly.com', ...body });
    await set({}).expect(400);
    await set({ visibility: 'password' }).expect(400);
    expect((await set({ visibility: 'members' }).expect(200)).body).toMatchObject({ visibility: 'members' });
    expect((await domains.visit('www.partly.com')).status).toBe(401);
    expect((await domains.stele.visit(slug)).status).toBe(200);

    const { visit, asMember } = visitorOf(domains.stele, `www.partly.com:${domains.stele.port}`);
    const cookie = await asMember(domains.ann.bearer, '/docs/');
    expect((await visit('/docs/', { ...NAVIGATION, ...cookie })).body.toString()).toBe('partly docs');
    expect((await domains.stele.api.get(`/v1/sites/${slug}`)).status).toBe(200);

    await set({ visibility: null }).expect(200);
    expect(await domains.shown('www.partly.com')).toEqual([200, 'partly']);
  });

  it('owners can list all their domains, and filter them by status and by site', async () => {
    const [one, two] = [await domains.site('one'), await domains.site('two')];
    await domains.active(one, 'www.listed.com');
    await domains.add(two, { hostname: 'listed.com' }).expect(201);
    const mine = async (query: string) =>
      (await domains.stele.api.get(`/v1/me/domains?${query}`).set(domains.ann.bearer).expect(200)).body.items.map(
        ({ hostname }: { hostname: string }) => hostname,
      );
    expect(await mine(`slug=${one}`)).toEqual(['www.listed.com']);
    expect(await mine(`slug=${two}&status=active`)).toEqual([]);
    expect(await mine(`slug=${two}&status=pending`)).toEqual(['listed.com']);
    expect((await mine('limit=100')).slice(0, 2)).toEqual(['listed.com', 'www.listed.com']);
    const { body } = await domains.stele.api.get('/v1/me/sites?limit=100').set(domains.ann.bearer).expect(200);
    const of = (slug: string) => body.items.find((site: { slug: string }) => site.slug === slug).domains;
    expect([of(one), of(two)]).toEqual([['www.listed.com'], []]);
  });

  it.each<[string, object, string]>([
    ['an IP address', { hostname: '127.0.0.1' }, 'hostname'],
    ['the service’s own name', { hostname: 'a.localhost' }, 'hostname'],
    ['a public suffix', { hostname: 'co.uk' }, 'hostname'],
    ['a name with a NUL', { hostname: 'a\0.com' }, 'hostname'],
    ['a value that is not a string', { hostname: 7 }, 'hostname'],
    ['a redirect to an invalid domain', { hostname: 'a.com', redirectTo: 'https://a.com/' }, 'redirectTo'],
    ['a redirect to itself', { hostname: 'a.com', redirectTo: 'A.com' }, 'redirectTo'],
    ['a redirect to a domain of another site', { hostname: 'a.com', redirectTo: 'b.com' }, 'redirectTo'],
  ])('%s is refused as a domain', async (_, body, path) => {
    const slug = await domains.site('picky');
    const { body: problem } = await domains.add(slug, body).expect(400);
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });
});
