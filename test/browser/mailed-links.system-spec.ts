// needs: database, chromium

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { MailServer } from '../support/people/mail-server.js';
import type { Stele } from '../support/service/stele.js';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Mail scanners open links before the recipient does. They must never use up a link. */
describe('A mailed link that a scanner opened before its recipient', () => {
  let close: () => Promise<void>;
  let mails: MailServer;
  let stele: Stele;
  let browser: Browser;
  let webmail: Server;
  let shown = '';

  beforeAll(async () => {
    mails = await MailServer.open();
    ({ stele, browser, close } = await openServiceAndBrowser('links', { SMTP_URL: mails.url }));
    webmail = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(shown));
    await new Promise<void>((listening) => webmail.listen(0, '127.0.0.1', listening));
  }, 60_000);
  afterAll(async () => {
    webmail?.close();
    await close?.();
    await mails?.down();
  });

  const home = (path: string) => `http://localhost:${stele.port}${path}`;
  const inbox = (html: string) => {
    shown = `<!doctype html><title>Mail</title>${html}`;
    return `http://127.0.0.1:${(webmail.address() as AddressInfo).port}/`;
  };
  const alone = async () => (await browser.newContext()).newPage();

  /** Sends the requests that mail gateways and mail software make for every link in a mail. */
  const scan = async (link: string) => {
    const local = link.replace('//localhost:', '//127.0.0.1:');
    await fetch(local, { method: 'HEAD', headers: { accept: HTML } });
    for (let n = 0; n < 3; n++) {
      const page = await (await fetch(local, { headers: { accept: HTML } })).text();
      for (const [, address = ''] of page.matchAll(/(?:href|src)="([^"]+)"/g))
        await fetch(new URL(address, local), { headers: { accept: HTML } });
    }
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ])
      await fetch(local, { headers: { accept: HTML, ...headers } });

    const page = await alone();
    await page.goto(link, { waitUntil: 'networkidle' });
    await page.reload({ waitUntil: 'networkidle' });
    for (const anchor of await page.locator('a[href]').all()) await anchor.hover();
    const fetched = page.waitForResponse((response) => response.url() === link);
    const rules = JSON.stringify({
      prefetch: [{ source: 'list', urls: [link] }],
      prerender: [{ source: 'list', urls: [link] }],
    });
    await page.goto(inbox(`<link rel="prefetch" href="${link}"><script type="speculationrules">${rules}</script>`));
    await fetched;
    await page.context().close();
  };
  const isHome = async (page: Page) => {
    await page.waitForURL(home('/sites'));
    expect(await page.textContent('h1')).toBe('Your sites');
  };
  const askFor = async (email: string) => {
    const page = await alone();
    await page.goto(home('/sign-in'));
    await page.fill('input[name=email]', email);
    await page.click('button');
    await page.waitForSelector('text=Check your inbox');
    return page;
  };

  it('the link still signs the user in on another device, after a click', async () => {
    const asking = await askFor('ann@example.org');
    const { link } = mails.newest('ann@example.org');
    await scan(link);
    const phone = await alone();
    await phone.goto(link);
    await phone.click('button');
    await isHome(phone);
    await asking.goto(link);
    expect(await asking.textContent('main')).toContain('was already used');
  }, 60_000);

  it('clicking the link in web mail signs the user in, in the browser that requested it', async () => {
    const page = await askFor('bob@example.org');
    const { link } = mails.newest('bob@example.org');
    await scan(link);
    await page.goto(inbox(`<a href="${link}">${link}</a>`));
    await page.click('a');
    await page.click('button');
    await isHome(page);
  }, 60_000);

  it('typing the link into the browser that requested it signs the user in immediately', async () => {
    const page = await askFor('carl@example.org');
    const { link } = mails.newest('carl@example.org');
    await scan(link);
    await page.goto(link);
    await isHome(page);
  }, 60_000);

  it('the code in the mail is still valid', async () => {
    const page = await askFor('dora@example.org');
    const { link, code } = mails.newest('dora@example.org');
    await scan(link);
    await page.fill('input[name=code]', code.toLowerCase());
    await page.click('button');
    await isHome(page);
  }, 60_000);

  it('the link still claims the site, and the edit token is removed from the page’s address first', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('<h1>Mine</h1>').expect(200);
    const page = await alone();
    const asked: string[] = [];
    page.on('request', (request) =>
      asked.push(`${request.url()} ${request.headers().referer ?? ''} ${request.postData() ?? ''}`),
    );
    await page.goto(site.claimUrl);
    await page.waitForFunction('location.hash === ""');
    expect(await page.evaluate('document.querySelector("[name=editToken]").value')).toBe(site.editToken);
    expect(await page.evaluate('history.length')).toBeLessThan(3);
    await page.fill('input[name=email]', 'emma@example.org');
    await page.click('button');
    await page.waitForSelector('text=Check your inbox');
    const { link } = mails.newest('emma@example.org');
    await scan(link);
    const phone = await alone();
    await phone.goto(link);
    await phone.click('button');
    await isHome(phone);
    expect(await phone.textContent('.sites')).toContain(site.slug);
    expect(asked.filter((request) => request.split(' ').slice(0, 2).join(' ').includes(site.editToken))).toEqual([]);
    await page.goto(home(`/claim/${site.slug}`));
    expect(await page.textContent('h1')).toBe('This site already has an owner');
  }, 60_000);
});
