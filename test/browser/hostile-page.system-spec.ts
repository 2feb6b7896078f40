// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import {
  type Addresses,
  type Attack,
  type Form,
  HostileWorld,
  openWorldsBrowser,
  TOKEN,
} from '../support/browser/hostile-world.js';
import type { Recorded } from '../support/browser/recording-proxy.js';
import { waitForOutput } from '../support/service/output.js';

const worlds: readonly (readonly [string, Addresses])[] = [
  ['On this machine', { secure: false, service: 'localhost', sites: 'localhost', shared: false }],
  ['With a domain each, by https', { secure: true, service: 'app.stele.test', sites: 'sites.test', shared: false }],
  ['With one domain, by https', { secure: true, service: 'app.stele.test', sites: 'stele.test', shared: true }],
  ['With one domain, by plain http', { secure: false, service: 'app.stele.test', sites: 'stele.test', shared: true }],
];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];
const FORMS: readonly Form[] = ['pathUrl', 'url', 'previewUrl'];

/** Attacks that succeed if a header is missing from the service's responses. */
const controls = [
  ['pathUrl', 'content-security-policy', ['fetches with credentials', 'reads local storage', 'looks into a window']],
  ['url', 'cross-origin-resource-policy', ['fetches without asking']],
  ['url', 'content-security-policy', []],
] as const;
const hasControls = ({ shared, secure }: Addresses) => shared && secure;

let browser: Browser;
const opened = new Map<Addresses, HostileWorld>();
const attacks = new Map<string, Attack>();
const keyOf = (addresses: Addresses, form: Form, taken = '') => JSON.stringify([addresses, form, taken]);

async function fight(addresses: Addresses) {
  const world = await HostileWorld.open(addresses, browser);
  opened.set(addresses, world);
  for (const form of FORMS) attacks.set(keyOf(addresses, form), await world.attack(form));
  if (!hasControls(addresses)) return;
  for (const [form, header] of controls) attacks.set(keyOf(addresses, form, header), await world.attack(form, header));
}

/** The attacks run concurrently, because a page spends most of its time waiting. */
beforeAll(async () => {
  browser = await openWorldsBrowser();
  const fights = await Promise.allSettled(worlds.map(([, addresses]) => fight(addresses)));
  for (const each of fights) if (each.status === 'rejected') throw each.reason;
}, 360_000);
afterAll(async () => {
  await Promise.all([...opened.values()].map((world) => world.close()));
  await browser?.close();
}, 60_000);

describe.each(worlds)('Hostile hosted pages (%s)', (_, addresses) => {
  const { secure, shared } = addresses;
  let world: HostileWorld;
  beforeAll(() => {
    world = opened.get(addresses)!;
  });

  const attackAt = (form: Form, taken?: string) => attacks.get(keyOf(addresses, form, taken))!;
  const leaksOf = ({ outcomes }: Attack) =>
    Object.entries(outcomes).filter(([, outcome]) => outcome !== 'refused' && outcome !== 'sent');
  /** Returns the frames in which the attack could show the service, which would allow clickjacking. */
  const shownIn = ({ framed }: Attack) =>
    framed.filter((url) => url.startsWith(`${world.base}/`) && !url.startsWith(`${world.base}/s/`));

  const toService = (records: readonly Recorded[]) => records.filter(({ host }) => host === new URL(world.base).host);
  const withCookie = (records: readonly Recorded[]) =>
    toService(records).filter(({ headers }) => world.cookie.isIn(headers.cookie));

  it.each(FORMS)('a hostile page at its %s reads nothing, changes nothing and steals no session', (form) => {
    const attack = attackAt(form);
    const { outcomes, records, workers, left } = attack;
    expect(leaksOf(attack)).toEqual([]);
    expect(shownIn(attack)).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(50);

    // The page's write requests reached the service, but the service accepted none of them as a request of the visitor.
    const writes = toService(records).filter(({ method }) => WRITES.includes(method));
    expect(writes.length).toBeGreaterThan(8);
    const passed = withCookie(records).filter(({ method, status }) => WRITES.includes(method) && status !== 403);
    expect(passed.map(({ method, path, headers }) => [method, path, headers])).toEqual([]);
    // Browsers send the session cookie from one subdomain to another, so only the server can refuse the request.
    if (shared && form !== 'pathUrl')
      expect(withCookie(records).filter(({ status }) => status === 403).length).toBeGreaterThan(3);

    // The hostile page could not replace the visitor's session cookie with another user's.
    const sessions = new Set(withCookie(records).map(({ headers }) => world.cookie.read(headers.cookie)));
    const canBeTossed = shared && !secure && form !== 'pathUrl';
    expect([...sessions].filter((token) => token !== TOKEN && !(canBeTossed && token === null))).toEqual([]);

    for (const { answered, host } of records) {
      expect([host, answered['set-cookie'], answered['service-worker-allowed']]).toEqual([host, undefined, undefined]);
    }
    expect(workers.filter((url) => url.startsWith(`${world.base}/`))).toEqual([]);

    // The attacks changed neither the visitor's data nor the service.
    expect(left).toEqual({
      item: 'mine',
      items: 1,
      databases: ['victim'],
      page: expect.not.stringContaining('taken over'),
      sessions: [TOKEN],
    });
  });

  it(`at startup, the service ${shared ? 'warns about the shared domain' : 'does not warn about domains'}`, async () => {
    const warning = 'Warning: STELE_BASE_URL and STELE_SITE_DOMAIN seem to share a registrable domain';
    if (shared) await waitForOutput(world.printed, warning);
    else expect(world.printed()).not.toContain(warning);
  });

  it('a page of the service’s own origin can make changes with the visitor’s session', async () => {
    const context = await world.visitor();
    // Simulates the service's own pages, whose headers allow what the API's headers forbid.
    world.proxy.take('content-security-policy');
    const page = await context.newPage();
    await page.goto(`${world.base}/llms.txt`);
    const sent = `fetch('/v1/waitlist', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"me@example.org"}' })`;
    expect(await page.evaluate(`${sent}.then(({ status }) => status)`)).toBe(200);
    const [write] = withCookie(world.proxy.records).filter(({ method }) => method === 'POST');
    expect(world.cookie.read(write?.headers.cookie)).toBe(TOKEN);
    await context.close();
  });

  if (hasControls(addresses))
    it.each(controls)(
      'a hostile page at its %s succeeds if the header %s is removed, which shows that the test works',
      (form, header, ways) => {
        const attack = attackAt(form, header);
        expect(leaksOf(attack).map(([name]) => name)).toEqual(expect.arrayContaining([...ways]));
        if (header === 'content-security-policy') expect(shownIn(attack)).not.toEqual([]);
      },
    );
});
