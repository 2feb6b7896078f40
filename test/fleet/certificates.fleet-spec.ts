// needs: database, git, redis, caddy, pebble

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { DomainMissed, domainStream } from '../../src/events/domain.events.js';
import { openBrowser, openBrowserWithHttp3 } from '../support/browser/chromium.js';
import { DomainsUnderTest } from '../support/dns/domains-under-test.js';
import { acmeUrl, HttpsFront, type Ports, portsOfFront } from '../support/dns/https-front.js';
import { appendBeside } from '../support/eventstore/direct-append.js';
import { rawRequestsTo } from '../support/service/raw-request.js';
import { temporaryFolder } from '../support/service/stele.js';

jest.setTimeout(120_000);

const WWW = 'www.otters.com';

describe('Custom domains served with the repository’s Caddyfile', () => {
  let ports: Ports;
  let domains: DomainsUnderTest;
  let slug: string;

  beforeAll(async () => {
    ports = await portsOfFront();
    domains = await DomainsUnderTest.start({
      STELE_TLS_AT: `127.0.0.1:${ports.tls}`,
      STELE_ACME_URL: acmeUrl(ports),
    });
    slug = await domains.site('otters');
    domains.set({ [`${slug}.localhost`]: { A: ['127.0.0.1'] } });
  }, 120_000);
  afterAll(() => domains?.close());

  describe('Custom domains with certificates that expire after a day', () => {
    let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
    let front: HttpsFront;
    beforeAll(async () => {
      temporary = await temporaryFolder('front');
      front = new HttpsFront(temporary.folder, ports);
      await front.start(domains.dns.address, domains.stele);
    }, 120_000);
    afterAll(async () => {
      await front?.stop();
      await temporary.remove();
    });

    it('a domain gets its certificate before its first visitor arrives', async () => {
      await domains.active(slug, WWW);
      await certificateIn(front, WWW);
      const answer = await front.get(WWW);
      expect(answer).toMatchObject({ status: 200, text: 'otters', issuer: expect.stringMatching(/^Pebble/) });
      expect(answer.headers['alt-svc']).toMatch(/h3=/);
      expect(await front.certificates()).toEqual([WWW]);
    }, 120_000);

    it('no certificate is issued for a pending domain, or for a name that points here but was not added', async () => {
      const waiting = 'waiting.otters.com';
      const leading = { CNAME: `${slug}.localhost` };
      domains.set({ 'stranger.com': leading, [waiting]: leading });
      await domains.add(slug, { hostname: waiting }).expect(201);
      for (const name of ['stranger.com', waiting, 'otters.com', `x.${WWW}`])
        await expect(front.get(name)).rejects.toThrow();
      expect(await front.certificates()).toEqual([WWW]);
    });

    it('TLS handshakes with many unknown names do not cause certificates to be issued or prevent visits', async () => {
      const tried = Array.from({ length: 400 }, (_, count) =>
        front.get(`n${count}.stranger.com`).then(
          () => 'shown',
          () => 'refused',
        ),
      );
      const visits = await Promise.all(Array.from({ length: 20 }, () => front.get(WWW)));
      expect(visits.map(({ status }) => status)).toEqual(visits.map(() => 200));
      expect(new Set(await Promise.all(tried))).toEqual(new Set(['refused']));
      expect(await front.certificates()).toEqual([WWW]);
    }, 120_000);

    it('visitors are redirected from HTTP to HTTPS', async () => {
      const { status, headers } = await rawRequestsTo(ports.http, WWW)('/docs/?a=b');
      expect(status).toBe(308);
      expect(headers.location).toMatch(/^https:\/\/www\.otters\.com(:\d+)?\/docs\/\?a=b$/);
    });

    it('a request with an unknown Host header is refused, even if the TLS handshake names a known host', async () => {
      expect(await front.get(WWW, '/', 'stranger.com')).toMatchObject({ status: 421 });
    });

    it('visitors can’t see the route that approves certificates', async () => {
      const answer = await front.get(WWW, `/internal/tls/ask?domain=${WWW}`);
      expect(answer.status).toBe(404);
    });

    it('the certificate of a removed domain is not renewed', async () => {
      await domains.stele.api.delete(`/v1/sites/${slug}/domains/${WWW}`).set(domains.ann.bearer).expect(204);
      const asked = rawRequestsTo(domains.stele.port, 'api:3000');
      expect((await asked(`/internal/tls/ask?domain=${WWW}`)).status).toBe(404);
      expect(await front.get(WWW)).toMatchObject({ status: 421 });
    });
  });

  it('a domain works over HTTPS and HTTP/3 for as long as its DNS records exist', async () => {
    const { folder, remove } = await temporaryFolder('short-lived');
    const front = new HttpsFront(folder, ports, RENEWED_AFTER_S * 1.5);
    try {
      await front.start(domains.dns.address, domains.stele);
      const hostname = 'www.seals.com';
      const { body: added } = await domains.add(slug, { hostname }).expect(201);
      const { records } = await domains.until(slug, hostname, 'pending');
      expect(records).toMatchObject([
        { type: 'TXT', name: `_stele.${hostname}`, state: 'missing', advice: expect.stringContaining('stele=') },
        { type: 'CNAME', name: hostname, state: 'missing', advice: expect.stringContaining(`${slug}.localhost`) },
      ]);
      expect(front.orders()).toBe(0);

      domains.setRecordsOf(added);
      await domains.until(slug, hostname, 'active');
      await certificateIn(front, hostname);
      const first = await front.get(hostname);
      expect(first).toMatchObject({ status: 200, text: 'otters', issuer: expect.stringMatching(/^Pebble/) });
      const { origin } = new URL(`https://${hostname}:${ports.tls}`);
      const known = [
        '--host-resolver-rules=MAP * 127.0.0.1',
        `--ignore-certificate-errors-spki-list=${first.issuerKey}`,
      ];
      expect(await seen(openBrowser(...known), origin)).toEqual(['otters', 'h2']);
      const forced = `--origin-to-force-quic-on=${hostname}:${ports.tls}`;
      expect(await seen(openBrowserWithHttp3(...known, forced), origin)).toEqual(['otters', 'h3']);
      // During the renewal period, a visit renews the certificate of an active domain.
      await until(front, async () => (await front.get(hostname)).serial !== first.serial);

      domains.set({ [added.verification.name]: {}, [hostname]: {} });
      await domains.lookedForAgain();
      const { body: missed } = await domains.check(slug, hostname).expect(200);
      expect(missed).toMatchObject({ status: 'active', until: expect.any(String) });
      expect(await front.get(hostname)).toMatchObject({ status: 200, text: 'otters' });
      await threeDaysGoBy(hostname);
      await domains.until(slug, hostname, 'lost');
      const orders = front.orders();
      expect(orders).toBeGreaterThan(1);
      expect((await domains.visit(hostname)).status).toBe(421);
      const asked = rawRequestsTo(domains.stele.port, 'api:3000');
      expect((await asked(`/internal/tls/ask?domain=${hostname}`)).status).toBe(404);
      // Visitors get 421 with the last certificate until it expires. After that, the handshake fails.
      for (let isShown = true; isShown; await delay(50)) {
        const answer = await front.get(hostname).catch(() => null);
        expect([421, undefined]).toContain(answer?.status);
        isShown = answer !== null;
      }
      expect(front.orders()).toBe(orders);
    } finally {
      await front.stop();
      await remove();
    }
  }, 240_000);

  async function threeDaysGoBy(hostname: string) {
    const { body: site } = await domains.stele.api.get(`/v1/sites/${slug}`).set(domains.ann.bearer).expect(200);
    const past = new Date(Date.now() - 1_000).toISOString();
    await appendBeside(domains.stele, domainStream(hostname), [DomainMissed({ siteId: site.id, until: past })]);
  }
});

const RENEWED_AFTER_S = 4;

async function until(front: HttpsFront, isSo: () => Promise<boolean>) {
  for (const end = Date.now() + 60_000; !(await isSo()); await delay(50))
    if (Date.now() > end) throw new Error(`It is not so:\n${front.said()}`);
}

const certificateIn = (front: HttpsFront, hostname: string) =>
  until(front, async () => (await front.certificates()).includes(hostname));

async function seen(opening: Promise<Browser>, origin: string) {
  const browser = await opening;
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const protocol = await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol");
    return [await page.textContent('body'), protocol];
  } finally {
    await browser.close();
  }
}
