// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { pageTemplates } from '../support/browser/page-templates.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

describe('Pages made from a template', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let bearer: { authorization: string };
  let browser: Browser;

  const published = async (name: string, more: object = {}) => {
    const template = (await pageTemplates()).find((each) => each.name === name);
    const parameters = { ...template?.example, ...more };
    const { body } = await stele.api
      .post('/v1/code/generate')
      .set(bearer)
      .send({ template: name, parameters, deploy: true })
      .expect(200);
    return body.deploy.url as string;
  };
  /** Returns a waitlist page that loads its connector script from `module`. */
  const waitlist = async (module: string | null) => {
    const url = await published('waitlist', { connector: true });
    const page = await browser.newPage();
    await page.route('**/.stele/connector.js', (route) =>
      module === null ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: module }),
    );
    await page.goto(url);
    return page;
  };
  const join = async (page: Page) => {
    await page.getByLabel('Your email address').fill('ann@example.org');
    await page.getByRole('button', { name: 'Join the list' }).click();
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('page-templates-in-use');
    stele = await sharedStele({ folder: temporary.folder });
    ({ bearer } = await signIn(stele, 'designer@example.org'));
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await temporary.remove();
  });

  it('a résumé and a menu each print on one A4 sheet', async () => {
    for (const name of ['resume', 'menu']) {
      const page = await browser.newPage();
      await page.goto(await published(name));
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: false });
      expect({ name, sheets: pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length }).toEqual({ name, sheets: 1 });
      await page.close();
    }
  });

  it('a photo opens in the full window by keyboard or pointer, and closes again', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    await page.goto(await published('photo-gallery'));
    const photo = page.getByRole('button').nth(1);
    const sizeOf = async () => Math.round((await photo.boundingBox())?.height ?? 0);
    const onTheWall = await sizeOf();

    await photo.click();
    expect(await sizeOf()).toBeGreaterThan(600);
    expect(await page.locator('figure:popover-open').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await sizeOf()).toBe(onTheWall);

    await photo.focus();
    await page.keyboard.press('Enter');
    expect(await sizeOf()).toBeGreaterThan(600);
    await photo.click();
    expect(await page.locator('figure:popover-open').count()).toBe(0);
    await page.close();
  });

  it('a waitlist page sends the address to its site’s agent, and confirms it', async () => {
    const page = await waitlist(
      'export const invoke = (input) => new Promise((done) => { window.take = done; window.input = input; });',
    );
    // After the page has loaded, its script may still be waiting for the connector.
    await page.getByRole('link', { name: 'Write to join the list' }).waitFor({ state: 'hidden' });
    await join(page);
    expect(await page.getByRole('status').textContent()).toBe('Sending…');
    expect(await page.getByRole('button').isDisabled()).toBe(true);
    expect(await page.evaluate('window.input')).toEqual({ email: 'ann@example.org' });
    await page.evaluate('window.take({})');
    await page.getByText('Thank you. You are on the list.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await page.close();
  });

  it('if the agent refuses an address, the visitor can try again or write a mail', async () => {
    const page = await waitlist(`export const invoke = async () => { throw new Error('no agent'); };`);
    await join(page);
    await page.getByText('Something went wrong. Try again, or write to us.').waitFor();
    expect(await page.getByRole('button').isEnabled()).toBe(true);
    expect(await page.getByLabel('Your email address').inputValue()).toBe('ann@example.org');
    expect(await page.getByRole('link').getAttribute('href')).toBe('mailto:hello@example.com');
    await page.close();
  });

  it('a waitlist page of a site without an agent offers a mail link', async () => {
    const page = await waitlist(null);
    expect(await page.getByRole('link', { name: 'Write to join the list' }).isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.close();
  });
});
