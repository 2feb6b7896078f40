import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainMissed, DomainRemoved, domainStream } from '../../../src/events/domain.events.js';
import { DomainsUnderTest } from '../../support/dns/domains-under-test.js';
import { appendBeside } from '../../support/eventstore/direct-append.js';

describe('Domains whose DNS records disappear', () => {
  let domains: DomainsUnderTest;
  beforeAll(async () => {
    domains = await DomainsUnderTest.start();
  }, 180_000);
  afterAll(() => domains?.close());

  const siteIdOf = async (slug: string) =>
    (await domains.stele.api.get(`/v1/sites/${slug}`).set(domains.ann.bearer).expect(200)).body.id;

  async function mailed(subject: string): Promise<string> {
    for (const end = Date.now() + 25_000; ; ) {
      const { body } = await domains.stele.api.get('/dev/outbox.json').expect(200);
      const mails: readonly { to: string; subject: string; text: string }[] = body;
      const mail = mails.find((each) => each.to === 'ann@example.org' && each.subject === subject);
      if (mail) return mail.text;
      expect(Date.now()).toBeLessThan(end);
    }
  }

  it('a domain whose DNS records disappear stays active for three days, and the owner is notified twice', async () => {
    const slug = await domains.site('otters');
    const hostname = 'www.otters.com';
    const active = await domains.active(slug, hostname);
    domains.set({ [active.verification.name]: {} });
    const missed = await domains.checkNow(slug, hostname);
    expect(missed).toMatchObject({
      status: 'active',
      until: expect.any(String),
      error: expect.stringMatching(/_stele/),
    });
    expect(await domains.shown(hostname)).toEqual([200, 'otters']);
    const text = await mailed(`${hostname} will soon stop showing your site`);
    expect(text).toContain(slug);
    expect(text).toContain(missed.until?.slice(0, 10));

    domains.setRecordsOf(active);
    expect(await domains.checkNow(slug, hostname)).toMatchObject({ status: 'active', until: null });

    domains.set({ [hostname]: { A: ['203.0.113.9'] } });
    expect(await domains.checkNow(slug, hostname)).toMatchObject({ status: 'active', until: expect.any(String) });
    const past = new Date(Date.now() - 1_000).toISOString();
    const siteId = await siteIdOf(slug);
    await appendBeside(domains.stele, domainStream(hostname), [DomainMissed({ siteId, until: past })]);
    expect(await domains.checkNow(slug, hostname)).toMatchObject({ status: 'lost', until: null });
    expect((await domains.visit(hostname)).status).toBe(421);
    await mailed(`${hostname} no longer shows your site`);
    expect((await domains.history(slug)).slice(0, 6)).toEqual([
      `Domain ${hostname} lost`,
      `DNS records for domain ${hostname} are missing`,
      `DNS records for domain ${hostname} are missing`,
      `DNS records for domain ${hostname} found again`,
      `DNS records for domain ${hostname} are missing`,
      `Domain ${hostname} is live`,
    ]);
  }, 180_000);

  it.each(['SERVFAIL', 'REFUSED'] as const)(
    'a domain stays active while its name servers return %s',
    async (failing) => {
      const slug = await domains.site('seals');
      const hostname = `www.${failing.toLowerCase()}.com`;
      const active = await domains.active(slug, hostname);
      domains.dns.zone = { ...domains.dns.zone, [active.verification.name]: failing, [hostname]: failing };
      expect(await domains.checkNow(slug, hostname)).toMatchObject({
        status: 'active',
        until: null,
        error: expect.any(String),
      });
      expect(await domains.shown(hostname)).toEqual([200, 'seals']);
    },
  );

  it('the removal of a domain appears in the site’s history even if the process that recorded it was killed', async () => {
    const slug = await domains.site('whales');
    const hostname = 'www.whales.com';
    await domains.active(slug, hostname);
    const siteId = await siteIdOf(slug);
    await appendBeside(domains.stele, domainStream(hostname), [DomainRemoved({ siteId })]);
    // The site's history does not contain this removal yet. It is added by the next write about the domain, or by a
    // worker that looks for unreported changes.
    await domains.add(slug, { hostname }).expect(201);
    expect((await domains.history(slug)).slice(0, 2)).toEqual([
      `Domain ${hostname} added`,
      `Domain ${hostname} removed`,
    ]);
  });
});
