import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NameRecords } from '../../support/dns/dns-server.js';
import { type DomainBody, DomainsUnderTest } from '../../support/dns/domains-under-test.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';

describe('Domain takeovers', () => {
  let domains: DomainsUnderTest;
  let [anns, bobs] = ['', ''];
  beforeAll(async () => {
    domains = await DomainsUnderTest.start();
    [anns, bobs] = [await domains.site('ann'), await domains.site('bob', domains.bob)];
  }, 180_000);
  afterAll(() => domains?.close());

  const claim = async (hostname: string): Promise<DomainBody> =>
    (await domains.add(bobs, { hostname }, domains.bob).expect(201)).body;

  /** Starts a check, and returns the domain as Bob sees it. */
  const looked = (hostname: string) => domains.checkNow(bobs, hostname, domains.bob);

  async function expectNobodys(hostname: string) {
    expect((await domains.visit(hostname)).status).toBe(421);
    const ask = rawRequestsTo(domains.stele.port, 'api:3000');
    expect((await ask(`/internal/tls/ask?domain=${hostname}`)).status).toBe(404);
  }

  const here = (): NameRecords => ({ CNAME: `${anns}.localhost` });

  it.each<[string, NameRecords]>([
    ['with a leftover CNAME record', { CNAME: 'left.localhost' }],
    ['with address records', { A: ['127.0.0.1'], AAAA: ['::1'] }],
  ])(
    'a domain that points to the service %s shows nothing and gets no certificate until somebody adds it',
    async (_, records) => {
      domains.set({ 'www.dangling.com': records });
      await expectNobodys('www.dangling.com');
    },
  );

  it.each<[string, (hostname: string, value: string) => Record<string, NameRecords>]>([
    ['without a TXT record', (hostname) => ({ [hostname]: here() })],
    ['with an A record alone', (hostname) => ({ [hostname]: { A: ['127.0.0.1'] } })],
    [
      'with another claimant’s value',
      (hostname) => ({ [hostname]: here(), ...text(hostname, `stele=${'0'.repeat(32)}`) }),
    ],
    ['with a value that is too long', (hostname, value) => ({ [hostname]: here(), ...text(hostname, `${value}0`) })],
    [
      'with a value without its prefix',
      (hostname, value) => ({ [hostname]: here(), ...text(hostname, value.slice(6)) }),
    ],
    [
      'with the record at the parent domain',
      (hostname, value) => ({ [hostname]: here(), ...text(above(hostname), value) }),
    ],
    ['with the record at the domain itself', (hostname, value) => ({ [hostname]: { A: ['127.0.0.1'], TXT: [value] } })],
    [
      'with the record while it points elsewhere',
      (hostname, value) => ({ [hostname]: { A: ['203.0.113.9'] }, ...text(hostname, value) }),
    ],
  ])('a domain can’t be claimed %s', async (_, zone) => {
    const hostname = `www.${crypto.randomUUID()}.com`;
    const { verification } = await claim(hostname);
    domains.set(zone(hostname, verification.value));
    expect(await looked(hostname)).toMatchObject({ status: 'pending', error: expect.any(String) });
    await expectNobodys(hostname);
  });

  it('a domain can’t be claimed with the DNS record of another domain', async () => {
    const [his, wanted] = ['www.his.com', 'www.wanted.com'];
    const { verification } = await claim(his);
    await claim(wanted);
    domains.set({ [wanted]: here(), ...text(wanted, verification.value) });
    expect(await looked(wanted)).toMatchObject({ status: 'pending' });
    await expectNobodys(wanted);
  });

  it.each<[string, (slug: string, hostname: string) => string]>([
    ['whose site was deleted', (slug) => `/v1/sites/${slug}`],
    ['who has removed the domain', (slug, hostname) => `/v1/sites/${slug}/domains/${hostname}`],
  ])('a domain is not served if its DNS records belong to an owner %s', async (_, path) => {
    const [slug, hostname] = [await domains.site('former'), `www.${crypto.randomUUID()}.com`];
    await domains.active(slug, hostname);
    await domains.stele.api.delete(path(slug, hostname)).set(domains.ann.bearer).expect(204);
    const wanted = await claim(hostname);
    expect(await looked(hostname)).toMatchObject({ status: 'pending' });
    await expectNobodys(hostname);
    domains.setRecordsOf(wanted);
    await domains.until(bobs, hostname, 'active', domains.bob);
    expect(await domains.shown(hostname)).toEqual([200, 'bob']);
  });

  it('a domain without its DNS record stays with its owner if the new claimant has no record either', async () => {
    const hostname = 'www.missed.com';
    const { verification } = await domains.active(anns, hostname);
    domains.set({ [verification.name]: {} });
    expect(await domains.checkNow(anns, hostname)).toMatchObject({ until: expect.any(String) });
    await claim(hostname);
    expect(await looked(hostname)).toMatchObject({ status: 'pending' });
    expect(await domains.shown(hostname)).toEqual([200, 'ann']);
  });

  it('the claimant whose DNS record is found gets the domain', async () => {
    const [anns, bobs] = [await domains.site('ann'), await domains.site('bob', domains.bob)];
    const hostname = 'www.contested.com';
    const { body: of } = await domains.add(anns, { hostname }).expect(201);
    const { body: wanted } = await domains.add(bobs, { hostname }, domains.bob).expect(201);
    expect(wanted.verification.value).not.toBe(of.verification.value);
    domains.setRecordsOf(wanted);
    await domains.until(bobs, hostname, 'active', domains.bob);
    expect(await domains.shown(hostname)).toEqual([200, 'bob']);
    expect(await domains.checkNow(anns, hostname)).toMatchObject({ status: 'pending' });

    const third = await domains.site('third');
    const { body: taken } = await domains.add(third, { hostname }).expect(409);
    expect(taken).toMatchObject({ code: 'domain_taken' });
    expect(JSON.stringify(taken)).not.toMatch(new RegExp(`${bobs}|bob@`));

    // The owner of the DNS zone adds the record that proves Ann's right to the domain.
    domains.setRecordsOf(of);
    await domains.until(anns, hostname, 'active');
    expect(await domains.shown(hostname)).toEqual([200, 'ann']);
    const { body: lost } = await domains.list(bobs, domains.bob).expect(200);
    expect(lost.items).toMatchObject([{ hostname, status: 'lost' }]);
    expect((await domains.history(bobs, domains.bob))[0]).toBe(`Domain ${hostname} lost`);
  });

  it('if two claimants with valid DNS records check a domain concurrently, exactly one gets the domain', async () => {
    const hostname = 'www.race.com';
    const { body: of } = await domains.add(anns, { hostname }).expect(201);
    const { verification } = await claim(hostname);
    domains.set({ [hostname]: here(), [verification.name]: { TXT: [of.verification.value, verification.value] } });
    const both = async (): Promise<string[]> => {
      await domains.lookedForAgain();
      const told = await Promise.all([domains.check(anns, hostname), domains.check(bobs, hostname, domains.bob)]);
      return told.map(({ body }) => body.status);
    };
    for (const end = Date.now() + 20_000; (await both()).includes('pending'); ) expect(Date.now()).toBeLessThan(end);
    for (let round = 0; round < 3; round += 1) {
      const statuses = await both();
      expect([...statuses].sort()).toEqual(['active', 'lost']);
      expect(await domains.shown(hostname)).toEqual([200, statuses[0] === 'active' ? 'ann' : 'bob']);
    }
  });

  it('a domain that looks like another domain is listed with a warning', async () => {
    const { body } = await domains.add(bobs, { hostname: 'раураӏ.com' }, domains.bob).expect(201);
    expect(body).toMatchObject({ hostname: 'xn--80aa0cbo65f.com', warning: expect.stringContaining('раураӏ') });
    const { body: listed } = await domains.list(bobs, domains.bob).expect(200);
    const warnings = Object.fromEntries(listed.items.map(({ hostname, warning }: DomainBody) => [hostname, warning]));
    expect(warnings['xn--80aa0cbo65f.com']).toBe(body.warning);
    expect(warnings['www.missed.com'] ?? null).toBeNull();
  });

  it('the responses do not reveal the owner of a domain', async () => {
    await domains.active(anns, 'shop.taken.com');
    await domains.add(anns, { hostname: 'shop.wait1.com' }).expect(201);
    const asked = { hostname: '', hsts: true };
    const own = `/v1/sites/${bobs}/domains`;
    const { api } = domains.stele;
    /** Sends requests that must get the same responses for any hostname. */
    const answers = async (hostname: string) => {
      const sent = [
        api.post(`${own}/${hostname}`),
        api.get(`${own}/${hostname}/zone`),
        api.delete(`${own}/${hostname}`),
        api.post(`${own}/access`).send({ ...asked, hostname }),
        api.post(own).send({ hostname, redirectTo: 'www.else.com' }),
        api.post(own).send({ hostname, from: anns }),
      ];
      const said = await Promise.all(sent.map((each) => each.set(domains.bob.bearer)));
      return said.map(({ status, body }) => [status, anyName(body, hostname)]);
    };
    const ofNobodys = await answers('shop.empty.com');
    expect(ofNobodys.map(([status]) => status)).toEqual([404, 404, 404, 404, 400, 403]);
    expect(await answers('shop.taken.com')).toEqual(ofNobodys);
    expect(await answers('shop.wait1.com')).toEqual(ofNobodys);

    const visited = async (hostname: string) => {
      const { status, body } = await domains.visit(hostname);
      return [status, anyName(JSON.parse(body.toString()), hostname)];
    };
    expect(await visited('shop.wait1.com')).toEqual(await visited('shop.empty.com'));
    const added = async (hostname: string) => anyName(await claim(hostname), hostname);
    expect(await added('shop.wait1.com')).toEqual(await added('shop.empty.com'));
    const { body: mine } = await api.get('/v1/me/domains?limit=100').set(domains.bob.bearer).expect(200);
    expect(JSON.stringify(mine)).not.toContain('shop.taken.com');
  });
});

const text = (hostname: string, value: string): Record<string, NameRecords> => ({
  [`_stele.${hostname}`]: { TXT: [value] },
});

const above = (hostname: string) => hostname.slice(hostname.indexOf('.') + 1);

/** Replaces everything that differs between requests with placeholders. */
const anyName = (body: object, hostname: string) =>
  JSON.stringify(body)
    .replaceAll(hostname, 'NAME')
    .replace(/req_\w+/g, 'REQUEST')
    .replace(/stele=\w+/g, 'TOKEN')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
