import { beforeEach, describe, expect, it } from '@jest/globals';
import { activated, added } from '../../../../test/support/events/domain-examples.js';
import { by, created, nobody } from '../../../../test/support/events/site-examples.js';
import { sitesOfDomains } from '../../../../test/support/events/sites-of-domains.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { DomainMissed, domainStream, type HostnameEvent } from '../../../events/domain.events.js';
import { SiteClaimed } from '../../../events/site/member.events.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { siteStream } from '../../../events/site/site.events.js';
import type { DomainChecker, DomainFindings } from '../../../kernel/ports/outside/domain-checker.js';
import { Mail, type Message } from '../../../kernel/ports/outside/mail.js';
import { DomainMails } from '../mails/domain-mails.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { DomainCheckScheduler } from './domain-check-scheduler.js';
import type { CheckedDomain, DueCheck } from './domain-checks.js';

const hostname = 'www.example.com';
const www: CheckedDomain = { hostname, siteId: 'site_1' };
const long = '2030-01-01T00:00:00.000Z';
const findings = (verified: boolean | null, leadsHere = verified): DomainFindings => ({
  records: [],
  verified,
  leadsHere,
  certifiable: true,
});

class SaidDns implements Pick<DomainChecker, 'check'> {
  readonly asked: unknown[] = [];
  found = findings(true);
  hold: Promise<unknown> = Promise.resolve();

  async check(claim: unknown) {
    this.asked.push(claim);
    await this.hold;
    return this.found;
  }
}

class KeptMail extends Mail {
  readonly sent: string[] = [];
  readonly #awaited = Promise.withResolvers<void>();
  readonly first = this.#awaited.promise;

  override async send({ to, subject }: Message) {
    this.sent.push(`${to}: ${subject}`);
    this.#awaited.resolve();
  }

  override async checkReachable() {
    return true;
  }
}

/** Replaces the table of domain checks. Any check can be taken, due or not, unless it is leased. */
class Turns {
  readonly finished: { readonly due: DueCheck; readonly nextInMs: number }[] = [];
  readonly removed: CheckedDomain[] = [];
  readonly #leased = new Set<string>();

  offer = async () => undefined;
  take = async () => [];
  takeNow = async (claim: CheckedDomain) => {
    if (this.#leased.has(claim.hostname)) return null;
    this.#leased.add(claim.hostname);
    return { ...claim, attempt: 3 };
  };
  finish = async (due: DueCheck, _found: unknown, nextInMs: number) => {
    this.#leased.delete(due.hostname);
    this.finished.push({ due, nextInMs });
  };
  release = async ({ hostname: name }: CheckedDomain) => void this.#leased.delete(name);
  remove = async (claim: CheckedDomain) => void this.removed.push(claim);
}

describe('Checking a domain', () => {
  let store: MemoryStore;
  let dns: SaidDns;
  let mail: KeptMail;
  let turns: Turns;
  let checking: DomainCheckScheduler;
  beforeEach(async () => {
    store = new MemoryStore();
    const claimed = SiteClaimed({ memberId: 'mem_1', userId: 'usr_1' });
    for (const n of [1, 2]) await store.write(siteStream(`site_${n}`), created, claimed);
    const { commands, transactions, sites, history } = await sitesOfDomains(store);
    [dns, mail, turns] = [new SaidDns(), new KeptMail(), new Turns()];
    const person = { userId: 'usr_1', email: 'ann@example.org', name: null, createdAt: long };
    const people = { findAll: async (ids: readonly string[]) => new Map(ids.map((id) => [id, person])) };
    const mails = new DomainMails(sites, people, mail);
    const trail = new DomainTrail(store, sites, history);
    const urls = { baseUrl: 'https://stele.example', siteDomain: 'pages.example:8443', mcpUrl: '', statusUrl: '' };
    const rows = { find: async () => [] };
    checking = new DomainCheckScheduler(
      commands,
      transactions,
      turns,
      dns,
      sites,
      trail,
      mails,
      new ServiceUrls(urls),
      rows,
    );
  });

  const pending = { ...added(1), data: { ...added(1).data, until: long } };
  const happened = (...events: HostnameEvent[]) => store.write(domainStream(hostname), ...events);
  const look = () => checking.now(www, by(nobody));
  const last = async (stream = domainStream(hostname)) => (await store.read(stream)).events.at(-1)?.type;

  it('a check looks for the token of the claim and the host of the site', async () => {
    await happened(pending);
    await look();
    expect(dns.asked).toEqual([{ hostname, token: 'token_1', target: 'amber-otter.pages.example' }]);
  });

  it('records the result of a check, updates the site and schedules the next check', async () => {
    await happened(pending);
    dns.found = findings(false);
    await look();
    expect(await last()).toBe('DomainAdded');
    dns.found = findings(true);
    await look();
    expect([await last(), await last(siteStream('site_1'))]).toEqual(['DomainActivated', 'SiteDomainActivated']);
    const [first = 0, second = 0] = turns.finished.map(({ nextInMs }) => nextInMs / 60_000);
    expect(turns.finished[0]?.due.attempt).toBe(3);
    expect([first >= 3 && first <= 5, second >= 19 * 60 && second <= 29 * 60]).toEqual([true, true]);
  });

  it('runs a check only once for concurrent requests', async () => {
    await happened(pending);
    const { promise, resolve } = Promise.withResolvers<void>();
    dns.hold = promise;
    const asked = look();
    await store.read('anything');
    while (dns.asked.length === 0) await store.read('anything');
    const again = look();
    resolve();
    await Promise.all([asked, again]);
    expect(dns.asked).toHaveLength(1);
  });

  it('a check can be requested again immediately after one that failed', async () => {
    await happened(pending);
    const away = new Error('the network is away');
    dns.hold = Promise.reject(away);
    await expect(look()).rejects.toBe(away);
    dns.hold = Promise.resolve();
    await look();
    expect([dns.asked.length, await last()]).toEqual([2, 'DomainActivated']);
  });

  it('mails the owners when the records are missing and when the domain is lost', async () => {
    await happened(pending, activated(1));
    dns.found = findings(false);
    await look();
    await mail.first;
    expect(await last()).toBe('DomainMissed');
    await happened(DomainMissed({ siteId: 'site_1', until: '2026-11-20T12:00:00.000Z' }));
    await look();
    expect(await last()).toBe('DomainLost');
    while (mail.sent.length < 2) await store.read('anything');
    expect(mail.sent).toEqual([
      `ann@example.org: ${hostname} will soon stop showing your site`,
      `ann@example.org: ${hostname} no longer shows your site`,
    ]);
  });

  it('records nothing if DNS does not respond, and repeats the check sooner', async () => {
    await happened(pending, activated(1));
    dns.found = findings(null);
    await look();
    expect([await last(), mail.sent]).toEqual(['DomainActivated', []]);
    expect(turns.finished.at(-1)?.nextInMs).toBeLessThan(2 * 3_600_000);
  });

  it('takes a domain away from a deleted site without a DNS query', async () => {
    await happened(pending, activated(1));
    await store.write(siteStream('site_1'), SiteDeleted({}));
    await look();
    expect([await last(), dns.asked, turns.removed]).toEqual(['DomainRemoved', [], [{ ...www, attempt: 3 }]]);
  });

  it('removes a claim that no longer exists from the schedule without a DNS query', async () => {
    await look();
    expect([dns.asked, turns.removed]).toEqual([[], [{ ...www, attempt: 3 }]]);
  });
});
