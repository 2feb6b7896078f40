// needs: database, chromium

import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { DnsServer } from '../support/dns/dns-server.js';
import { statusWhen } from '../support/service/status.js';
import type { Stele } from '../support/service/stele.js';

const { source: axe } = createRequire(import.meta.url)('axe-core/axe.min.js') as { source: string };

/** Folder for screenshots of the page, which CI keeps. */
const pictures = process.env.STELE_TEST_PICTURES || 'coverage/pictures';

const DESK = { width: 1280, height: 900 };
const HAND = { width: 390, height: 844 };
const SMALL = { width: 320, height: 640 };

/** Ninety days of each component: most healthy, some failing, and some unknown. */
const PAST = `
insert into status_days (day, component, well, failing, since)
select (now() at time zone 'utc')::date - n, component, 1440 - case when n % 17 = 3 then n * 7 else 0 end,
  case when n % 17 = 3 then n * 7 else 0 end, date_trunc('day', now()) - n * interval '1 day'
from generate_series(1, 89) n, unnest(array['publish', 'serve', 'history', 'streams', 'jobs', 'mail', 'domains']) component
where not (component = 'jobs' and n between 40 and 44) and not (component = 'domains' and n > 60)`;

const INCIDENTS = [
  {
    ...{ title: 'Builds wait for long', components: ['jobs'], status: 'identified' },
    body: 'Builds wait for **up to ten minutes**. See the [log](https://example.org/a-very-long-address/that/goes/on/and/on/and/on/without/any/blank/in/it).\n\n- Sites are served as always\n- `POST /v1/deploy` is not concerned',
  },
  {
    ...{ title: 'Mail was late', components: ['mail', 'domains'], status: 'resolved' },
    body: '# Cause\n\nThe provider was away from 10:02 to 10:40.\n\n> It is back.\n\n```\n451 4.7.1 Try again later\n```',
  },
];

describe('The status page', () => {
  let close: () => Promise<void>;
  let dns: DnsServer;
  let stele: Stele;
  let browser: Browser;
  const token = 'the-operator-itself';

  beforeAll(async () => {
    dns = await DnsServer.start();
    ({ stele, browser, close } = await openServiceAndBrowser('status', {
      // Probes can fail on a busy machine, which would change the page. With this interval, no second probe runs.
      ...{ STELE_STATUS_PROBES: '60s', STELE_DNS_SERVERS: dns.address, STELE_ADMIN_TOKEN: token },
    }));
    await stele.query(PAST);
    for (const incident of INCIDENTS)
      await stele.api.post('/v1/admin/incidents').set('authorization', `Bearer ${token}`).send(incident).expect(201);
    await mkdir(pictures, { recursive: true });
    // The page reads today's results from the database, a few seconds after a probe has reported its components healthy.
    await statusWhen(
      stele,
      ({ status, components }) => status === 'well' && components.every(({ days }) => (days.at(-1)?.well ?? 0) > 0),
    );
  }, 120_000);
  afterAll(async () => {
    await close?.();
    await dns?.close();
  });

  const opened = async (javaScriptEnabled: boolean) => {
    // The accessibility checker adds scripts to the page, which the service's policy would refuse.
    const context = await browser.newContext({ viewport: DESK, javaScriptEnabled, bypassCSP: javaScriptEnabled });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!['/status', '/assets/pages.css', '/favicon.ico'].includes(pathname))
        complaints.push(`asked for ${pathname}`);
    });
    await page.goto(`http://localhost:${stele.port}/status`);
    return { page, complaints };
  };

  const audited = async (page: Page) => {
    const { violations, incomplete } = (await page.evaluate(
      `axe.run({ resultTypes: ['violations', 'incomplete'] })`,
    )) as AxeResults;
    const unclear = incomplete.filter(({ id }) => id === 'color-contrast');
    return [...violations, ...unclear].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };

  const picture = (page: Page, name: string) =>
    page.screenshot({ path: join(pictures, `status.${name}.png`), fullPage: true });

  it('the page is readable and accessible, in light and dark mode, on desktop and phone', async () => {
    const { page } = await opened(true);
    await page.evaluate(axe);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [name, size] of Object.entries({ desk: DESK, hand: HAND })) {
        await page.setViewportSize(size);
        await picture(page, `${colorScheme}.${name}`);
        expect(await audited(page)).toEqual([]);
      }
    }
    for (const size of [DESK, HAND, SMALL]) {
      await page.setViewportSize(size);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
    }
    await page.context().close();
  }, 60_000);

  it('the page needs no scripts, and loads nothing from other hosts', async () => {
    const { page, complaints } = await opened(false);
    expect(await page.locator('h1').textContent()).toBe('There is an open incident');
    await page.locator('details').first().locator('summary').click();
    await page.locator('details li').first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('each bar of the chart has a description in words', async () => {
    const { page } = await opened(false);
    const jobs = page.getByRole('article', { name: 'Jobs' });
    expect(await jobs.getByRole('img').getAttribute('aria-label')).toMatch(
      /^Jobs in the last 90 days: 9\d\.\d\d%; 6 days with failures, 5 days without results\.$/,
    );
    await jobs.locator('summary').click();
    const days = await jobs.getByRole('listitem').allTextContents();
    expect(days.filter((day) => day.endsWith(': no result'))).toHaveLength(5);
    expect(days.filter((day) => /, failing for \d+ minutes$/.test(day))).toHaveLength(6);
    expect(await jobs.locator('.state').textContent()).toMatch(/^Operational since \d+ \w+ at \d\d:\d\d UTC$/);
    await page.context().close();
  });

  it('incidents appear as the operator wrote them, with open ones before resolved ones', async () => {
    const { page } = await opened(false);
    const titles = await page.locator('.incident h3').allInnerTexts();
    expect(titles).toEqual(['Builds wait for long', 'Mail was late']);
    expect(await page.locator('.incident a').first().getAttribute('rel')).toBe('nofollow noopener noreferrer');
    await page.context().close();
  });
});
