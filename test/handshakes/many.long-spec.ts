// needs: database, caddy, pebble
// only: handshakes

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainsUnderTest } from '../support/dns/domains-under-test.js';
import { acmeUrl, HttpsFront, type Ports, portsOfFront } from '../support/dns/https-front.js';
import { temporaryFolder } from '../support/service/stele.js';

const WWW = 'www.otters.com';
const DOMAINS = Number(process.env.STELE_HANDSHAKE_DOMAINS ?? 300);
const STRANGERS = 10_000;
/** Maximum number of domains per site. */
const OF_A_SITE = 100;

type Visits = { readonly times: readonly number[]; readonly failed: readonly string[] };

/** Checks the limits that are promised for two cores, with a complete service behind Caddy and an ACME authority. */
describe('TLS handshakes with many names', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let ports: Ports;
  let domains: DomainsUnderTest;
  let front: HttpsFront;
  let visitors: ChildProcess | undefined;

  beforeAll(async () => {
    temporary = await temporaryFolder('handshakes');
    ports = await portsOfFront();
    const env = { STELE_TLS_AT: `127.0.0.1:${ports.tls}`, STELE_ACME_URL: acmeUrl(ports) };
    domains = await DomainsUnderTest.start(env);
    front = new HttpsFront(temporary.folder, ports);
    await front.start(domains.dns.address, domains.stele);
  }, 60_000);
  afterAll(async () => {
    visitors?.kill();
    await front?.stop();
    await domains?.close();
    await temporary.remove();
  });

  const program = (name: string, ...words: number[]) =>
    fork(`test/handshakes/${name}.ts`, [String(ports.tls), ...words.map(String)], { execArgv: [] });

  async function visitedDuring(names: readonly string[], atOnce: number, pauseMs: number, during: () => Promise<void>) {
    visitors = program('visitors', atOnce, pauseMs);
    visitors.send({ names });
    await during();
    const told = once(visitors, 'message');
    visitors.send({ over: true });
    const [visits] = (await told) as [Visits];
    visitors.kill();
    return visits;
  }

  async function site(name: string): Promise<string> {
    const slug = await domains.site(name);
    domains.set({ [`${slug}.localhost`]: { A: ['127.0.0.1'] } });
    return slug;
  }

  async function untilCertificates(names: readonly string[], withinMs: number) {
    for (const end = Date.now() + withinMs; ; await delay(100)) {
      const there = new Set(await front.certificates());
      const missing = names.filter((name) => !there.has(name));
      if (missing.length === 0) return;
      if (Date.now() > end) throw new Error(`No certificates for ${missing.join(', ')}`);
    }
  }

  it('TLS handshakes with 10,000 unknown names cause no certificates and do not delay visitors', async () => {
    await domains.active(await site('otters'), WWW);
    await untilCertificates([WWW], 20_000);
    const alone = await visitedDuring([WWW], 1, 20, () => delay(5_000));
    let flood = { shown: -1, ms: 0 };
    const during = await visitedDuring([WWW], 1, 20, async () => {
      [flood] = (await once(program('strangers', STRANGERS), 'message')) as [typeof flood];
    });
    say(`alone: ${figures(alone)}`);
    say(`during ${STRANGERS} unknown names in ${Math.round(flood.ms / 1_000)} s: ${figures(during)}`);
    expect(flood.shown).toBe(0);
    expect(await front.certificates()).toEqual([WWW]);
    expect([...alone.failed, ...during.failed]).toEqual([]);
    expect(quantile(during.times, 0.99)).toBeLessThan(50);
  }, 300_000);

  it('300 domains that become active at the same time get certificates, and no visits fail meanwhile', async () => {
    const names: string[] = [];
    const began = performance.now();
    for (let first = 0; first < DOMAINS; first += OF_A_SITE) {
      const slug = await site('many');
      await Promise.all(
        Array.from({ length: Math.min(OF_A_SITE, DOMAINS - first) }, async (_, n) => {
          const { body } = await domains.add(slug, { hostname: `d${first + n}.many.com` }).expect(201);
          names.push(body.hostname);
          domains.setRecordsOf(body);
        }),
      );
      for (const each of names.slice(first)) await domains.until(slug, each, 'active');
    }
    say(`${DOMAINS} domains active after ${seconds(began)}`);
    const visits = await visitedDuring(names, 4, 250, () => untilCertificates(names, (DOMAINS * 2 + 60) * 1_000));
    say(`${DOMAINS} certificates after ${seconds(began)}; meanwhile ${figures(visits)}`);
    if (visits.failed.length > 0) say(front.said().replaceAll(/^.*"level":"(info|debug)".*\n/gm, ''));
    expect(visits.failed).toEqual([]);
  }, 1_200_000);
});

const quantile = (times: readonly number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN;

const figures = ({ times, failed }: Visits) =>
  `${times.length} visits, p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, longest ${quantile(times, 1).toFixed(0)} ms, ${failed.length} failed`;

const seconds = (began: number) => `${((performance.now() - began) / 1_000).toFixed(0)} s`;

/** Prints a line without Jest's code location, which `console` would add. */
const say = (line: string) => void process.stderr.write(`${line}\n`);
