// needs: database, chromium

import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { Client } from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { signIn } from '../support/people/sign-in.js';
import { siteIdOf, writeAccess } from '../support/traffic/log-rows.js';

const { source: axe } = createRequire(import.meta.url)('axe-core/axe.min.js') as { source: string };

describe('The page of a site’s log', () => {
  let opened: Awaited<ReturnType<typeof openServiceAndBrowser>>;
  let owner: Awaited<ReturnType<typeof signIn>>;
  let db: Client;
  let slug: string;
  let siteId: string;

  beforeAll(async () => {
    opened = await openServiceAndBrowser('site-log');
    db = new Client(opened.stele.database);
    await db.connect();
    owner = await signIn(opened.stele, 'owner@site-log-page.example.org');
  }, 60_000);
  afterAll(async () => {
    await db?.end();
    await opened?.close();
  });
  beforeEach(async () => {
    const { stele } = opened;
    ({ slug } = (await stele.api.post('/v1/deploy').set(owner.bearer).type('html').send('first').expect(200)).body);
    siteId = await siteIdOf(stele, slug, owner.bearer);
    // Waits until the log contains the deploy’s entry, so that the entries below come after it.
    const deploys = async () =>
      (await stele.api.get(`/v1/sites/${slug}/logs?kind=deploy`).set(owner.bearer).expect(200)).body.items;
    while ((await deploys()).length === 0);
    await writeAccess(db, siteId, [
      { path: '/' },
      { path: '/<b>gone</b>', status: 404, referrer: 'example.org' },
      { path: '/broken', status: 503, hits: 12 },
    ]);
  });

  const home = () => `http://localhost:${opened.stele.port}`;
  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await opened.browser.newContext(options);
    await context.addCookies([{ name: 'stele_session', value: owner.token, url: home() }]);
    const page = await context.newPage();
    await page.goto(`${home()}${address}`);
    return page;
  }
  const entries = (page: Page) => page.locator('.log code').allTextContents();
  const redeploy = () =>
    opened.stele.api
      .patch('/v1/deploy')
      .query({ slug })
      .set({ ...owner.bearer, 'content-type': 'text/html' })
      .send('second')
      .expect(200);

  it('a browser is redirected to the log page, which shows existing entries', async () => {
    const page = await open(`/v1/sites/${slug}/logs?kind=access`);
    expect(page.url()).toBe(`${home()}/sites/${slug}/logs?kind=access`);
    expect(await entries(page)).toEqual([
      'GET / 1.5 ms, 1.2 kB, person',
      'GET /<b>gone</b> 1.5 ms, 1.2 kB, person, from example.org',
      'GET /broken 1.5 ms, 1.2 kB, person, 12 times',
    ]);
    await page.context().close();
  });

  it('visits and deploys appear on the log page as they happen, with the same text as after a reload', async () => {
    const page = await open(`/sites/${slug}/logs`);
    await page.getByText('Following').waitFor();
    await opened.stele.visit(slug, '/visited?by=hand').set('referer', 'https://example.org/secret').expect(404);
    await page.getByText('GET /visited').waitFor();
    await redeploy();
    await page.getByText('Deploy 2: 1 file, 6 bytes').waitFor();
    const live = await page.locator('.log').innerHTML();
    await page.reload();
    expect(await page.locator('.log').innerHTML()).toBe(live);
    await page.context().close();
  });

  it('a filter of the log applies to existing and new entries', async () => {
    const page = await open(`/sites/${slug}/logs`);
    await page.fill('[name=status]', '4xx');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Following').waitFor();
    expect(await entries(page)).toHaveLength(1);
    await writeAccess(db, siteId, [{ path: '/fine' }, { path: '/missing', status: 410 }]);
    await page.getByText('GET /missing').waitFor();
    expect(await entries(page)).toHaveLength(2);
    expect(await page.inputValue('[name=status]')).toBe('4xx');
    await page.context().close();
  });

  it('the log page works without scripts, including its filters and older entries', async () => {
    await writeAccess(
      db,
      siteId,
      Array.from({ length: 150 }, (_, n) => ({ path: `/${n}` })),
    );
    const page = await open(`/sites/${slug}/logs`, { javaScriptEnabled: false });
    expect((await entries(page)).at(-1)).toContain('GET /149');
    await page.getByRole('link', { name: 'Older entries' }).click();
    await page.waitForURL(/before=/);
    expect((await entries(page))[0]).toBe(`Created as ${slug}`);
    await page.getByRole('link', { name: 'Latest entries' }).click();
    await page.waitForURL((url) => !url.searchParams.has('before'));
    await page.selectOption('[name=kind]', 'deploy');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/kind=deploy/);
    expect(await entries(page)).toEqual(['Deploy 1: 1 file, 5 bytes']);
    await page.context().close();
  });

  it('an invalid filter is explained, and strangers can’t see the log page', async () => {
    const page = await open(`/sites/${slug}/logs?status=many`);
    expect(await page.textContent('main')).toContain('must be one or more statuses such as 404');
    await page.context().clearCookies();
    await page.goto(`${home()}/sites/${slug}/logs`);
    expect(await page.textContent('h1')).toBe('Sign in first');
    await page.context().close();
  });

  it.each([
    ['light', 1_280],
    ['dark', 1_280],
    ['light', 375],
    ['dark', 375],
  ] as const)('the page is accessible (%s, %d pixels wide)', async (colorScheme, width) => {
    const page = await open(`/sites/${slug}/logs`, { colorScheme, viewport: { width, height: 800 } });
    await page.getByText('Following').waitFor();
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env.STELE_SCREENSHOTS)
      await page.screenshot({ path: `${process.env.STELE_SCREENSHOTS}/site-log-${colorScheme}-${width}.png` });
    await page.context().close();
  });
});
