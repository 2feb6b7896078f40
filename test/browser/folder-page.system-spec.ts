// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import type { Stele } from '../support/service/stele.js';

const hostile = [
  '<img src=x onerror=window.hit=1>.txt',
  '"onmouseover="window.hit=1" x=".txt',
  "'autofocus onfocus='window.hit=1'.txt",
  '<svg onload=window.hit=1>.txt',
  '{{constructor.constructor("window.hit=1")()}}.txt',
  'javascript:window.hit=1',
  'data:text;html,<script>window.hit=1<',
  '<!--.txt',
  '?query#hash&amp;.txt',
  '100%25.txt',
  'שלום 🦦.txt',
];

describe('A folder listing in a browser', () => {
  let close: () => Promise<void>;
  let stele: Stele;
  let browser: Browser;
  beforeAll(async () => {
    ({ stele, browser, close } = await openServiceAndBrowser('folder'));
  }, 60_000);
  afterAll(() => close?.());

  it('file names can’t inject code into a folder listing, and a file with any name can be opened', async () => {
    const files = hostile.map((name) => ({ path: `in <b>/${name}`, content: name }));
    const { body: site } = await stele.api.post('/v1/deploy').send({ files }).expect(200);
    await stele.api
      .post(`/v1/sites/${site.slug}/capabilities`)
      .set('x-svc-edit-token', site.editToken)
      .send({ name: 'listing', enabled: true })
      .expect(200);

    for (const [colorScheme, at] of [
      ['light', site.url],
      ['dark', site.pathUrl],
    ] as const) {
      const tab = await browser.newPage({ colorScheme });
      const asked: string[] = [];
      const faults: string[] = [];
      tab.on('request', (request) => asked.push(request.url()));
      tab.on('console', (message) => faults.push(message.text()));
      tab.on('pageerror', (error) => faults.push(error.message));
      const folder = `${at}in%20%3Cb%3E/`;
      await tab.goto(folder);
      await tab.locator('tbody tr').nth(3).hover();

      expect(await tab.evaluate('window.hit')).toBeUndefined();
      expect(await tab.locator('script, img, svg, [onmouseover], [onfocus], [onload]').count()).toBe(0);
      expect(asked.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([folder]);
      expect(faults.filter((text) => !text.includes('favicon'))).toEqual([]);
      const rows = tab.locator('tbody a bdi');
      expect((await rows.allTextContents()).toSorted()).toEqual(hostile.toSorted());
      const [ink, paper] = (await tab.evaluate(
        '[getComputedStyle(document.querySelector("h1")).color, getComputedStyle(document.body).backgroundColor]',
      )) as string[];
      expect([colorScheme, ink, paper]).toEqual(
        colorScheme === 'light'
          ? ['light', 'rgb(28, 27, 25)', 'rgb(250, 249, 246)']
          : ['dark', 'rgb(236, 234, 228)', 'rgb(22, 21, 19)'],
      );
      for (const link of await tab.locator('tbody a:has(bdi)').all()) {
        const [href, name] = [await link.getAttribute('href'), await link.textContent()];
        const answer = await tab.request.get(
          new URL(href ?? '', folder).href.replace(/\/\/[^/]*/, `//127.0.0.1:${stele.port}`),
          {
            headers: { host: new URL(folder).host },
          },
        );
        expect(await answer.text()).toBe(name);
      }
      await tab.close();
    }
  }, 60_000);
});
