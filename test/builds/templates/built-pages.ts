import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../support/browser/chromium.js';
import { BuildingService } from '../../support/sites/building-service.js';
import type { Template } from './template.js';

const MINUTE = 60_000;

export function describeBuiltPages(templates: readonly Template[], most: { readonly minutesEach: number }): void {
  describe('Newly created projects', () => {
    let service: BuildingService;
    let browser: Browser;
    beforeAll(async () => {
      [service, browser] = await Promise.all([BuildingService.start(), openBrowser()]);
    }, 2 * MINUTE);
    afterAll(async () => {
      await browser?.close();
      await service?.stop();
    });

    it.each(templates.map((template) => [template.name, template] as const))(
      'a new %s project is built into a site with a working page and scripts',
      async (name, { tree, title, asked }) => {
        const { job, lines, slug } = await service.build(name, tree(), asked, most.minutesEach * MINUTE);
        expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
        const page = await browser.newPage();
        const faults: string[] = [];
        page.on('pageerror', (error) => faults.push(error.message));
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
        // Browsers request /favicon.ico on their own. A small page has no icon, and its 404 would count as a fault.
        await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
        await page.goto(`http://${slug}.localhost:${service.stele.port}/`);
        await page.waitForSelector('html[data-ran=yes]', { state: 'attached' });
        expect({ title: await page.title(), faults }).toEqual({ title, faults: [] });
        await page.close();
      },
      (most.minutesEach + 1) * MINUTE,
    );
  });
}
