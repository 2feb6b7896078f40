// needs: database, chromium

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

const LONG = 'somebody.with-a-rather-long-name.and-another@departments.of.a.large.firm.example.org';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let browser: Browser;

beforeAll(async () => {
  temporary = await temporaryFolder('outbox-page');
  stele = await sharedStele({ folder: temporary.folder });
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stele?.stop();
  await temporary.remove();
});

it('the page of outgoing mail is readable on a phone, and its sign-in links work', async () => {
  await stele.api.post('/v1/auth/start').send({ email: LONG }).expect(200);
  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    hasTouch: true,
  });
  const page = await phone.newPage();
  await page.goto(`http://localhost:${stele.port}/dev/outbox`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await page.evaluate('parseFloat(getComputedStyle(document.querySelector("pre")).fontSize)')).toBeGreaterThan(
    13,
  );
  expect(await page.textContent('article')).toContain(LONG);
  await page.tap('article li a');
  await page.getByText(`Sign in on this device as ${LONG}`).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
}, 60_000);
