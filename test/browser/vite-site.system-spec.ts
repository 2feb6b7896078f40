// needs: database, chromium

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { filesOf } from '../support/content/folder-files.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

describe('A Vite build deployed from its dist folder', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let browser: Browser;
  let site: { slug: string; pathUrl: string; url: string; files: number };
  const complaints: string[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('vite');
    const dist = join(temporary.folder, 'dist');
    await promisify(execFile)(process.execPath, [
      'node_modules/vite/bin/vite.js',
      ...['build', 'test/fixtures/vite-site', '--base', './', '--outDir', dist, '--logLevel', 'error'],
    ]);
    stele = await sharedStele({ folder: join(temporary.folder, 'data') });

    const form = new FormData();
    for (const { path, content } of await filesOf(dist))
      form.append('files', new Blob([new Uint8Array(content)]), path);
    const response = await fetch(`${stele.base}/v1/deploy`, { method: 'POST', body: form });
    site = (await response.json()) as typeof site;
    browser = await openBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await temporary?.remove();
  });

  async function opened(url: string): Promise<Page> {
    const page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on(
      'response',
      (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`),
    );
    await page.goto(url);
    await page.waitForSelector('body[data-done=yes]', { timeout: 15_000 });
    return page;
  }

  it.each(['url', 'pathUrl'] as const)('scripts, styles, images and data of the site load at its %s', async (form) => {
    expect(site.files).toBeGreaterThanOrEqual(6);
    const page = await opened(site[form]);

    expect(await page.textContent('#title')).toBe('module ran');
    expect(await page.textContent('#late')).toBe('chunk loaded');
    expect(await page.textContent('#data')).toBe('data fetched');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('h1')).color`)).toBe('rgb(1, 2, 3)');
    await page.waitForFunction(`document.querySelector('#mark').naturalWidth === 20`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('under the service’s own host, the site has an opaque origin and can’t read the visitor’s data', async () => {
    const page = await opened(site.pathUrl);
    expect(await page.evaluate('window.origin')).toBe('null');
    expect(
      await page.evaluate(`fetch('/health', { credentials: 'include' }).then(() => 'read', () => 'refused')`),
    ).toBe('refused');
    await page.close();
  });

  it('on its own host, the site has its own origin', async () => {
    const page = await opened(site.url);
    expect(await page.evaluate('window.origin')).toBe(`http://${site.slug}.localhost:${stele.port}`);
    await page.close();
  });
});
