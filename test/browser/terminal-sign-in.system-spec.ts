// needs: database, chromium

import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { newestMail } from '../support/people/sign-in.js';
import { askPath, listening, makePkce, openTicket } from '../support/people/terminal-sign-in.js';
import type { Stele } from '../support/service/stele.js';

describe('Approving a terminal in a browser', () => {
  let close: () => Promise<void>;
  let stele: Stele;
  let browser: Browser;
  let base: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    ({ stele, browser, close } = await openServiceAndBrowser('terminal'));
    base = `http://localhost:${stele.port}`;
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) server.close();
    await close?.();
  });

  const freshTab = async () => (await browser.newContext()).newPage();
  const heading = (tab: Page) => tab.textContent('h1');
  const press = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true }).click();

  const askForLink = async (tab: Page, email: string) => {
    await tab.fill('input[name=email]', email);
    await press(tab, 'Send me a link');
    await tab.waitForSelector('input[name=code]');
    return newestMail(stele, email);
  };
  const signInByLink = async (tab: Page, email: string) => {
    const { path } = await askForLink(tab, email);
    await tab.goto(base + path);
  };

  /** Starts a terminal sign-in on this machine, and opens the sign-in page in the tab. */
  const asked = async (tab: Page) => {
    const { server, brought, redirect_uri } = await listening();
    servers.push(server);
    const { verifier, challenge } = makePkce();
    const url = base + askPath({ challenge, state: 'of-this-terminal', redirect_uri });
    await tab.goto(url);
    return { url, verifier, brought };
  };
  const exchange = (body: object) => stele.api.post('/v1/auth/cli/exchange').send(body);

  it('the user can sign in by mail before approving, and the terminal then gets its code', async () => {
    const tab = await freshTab();
    const { url, verifier, brought } = await asked(tab);
    expect(await heading(tab)).toBe('Sign in');
    await signInByLink(tab, 'ann@terminal-sign-in-page.example.org');
    expect(tab.url()).toBe(url);
    expect(await heading(tab)).toBe('Allow a terminal to act for you?');
    expect(await tab.textContent('main')).toContain('ann@terminal-sign-in-page.example.org');
    await press(tab, 'Approve');
    const query = await brought;
    expect(query.get('state')).toBe('of-this-terminal');
    await tab.waitForURL(/^http:\/\/127\.0\.0\.1:/);
    expect(await heading(tab)).toBe('Back in the terminal');
    const { body } = await exchange({ code: query.get('code'), verifier }).expect(200);
    expect(body).toMatchObject({ user: { email: 'ann@terminal-sign-in-page.example.org' } });
  }, 60_000);

  it('the page shows the terminal’s code, and the user can approve the terminal from any device', async () => {
    const tab = await freshTab();
    const { url, userCode, ticket, verifier } = await openTicket(stele);
    await tab.goto(url);
    const { code } = await askForLink(tab, 'ben@terminal-sign-in-page.example.org');
    await tab.fill('input[name=code]', code);
    await press(tab, 'Sign in');
    await tab.waitForURL(url);
    expect(await tab.textContent('.code')).toBe(userCode);
    await exchange({ ticket, verifier }).expect(202);
    await press(tab, 'Approve');
    await tab.waitForURL(/complete/);
    expect(await heading(tab)).toBe('Approved');
    await exchange({ ticket, verifier }).expect(200);
    await tab.reload();
    expect(await heading(tab)).toBe('Your terminal is signed in');
  }, 60_000);

  it('the terminal learns that the user denied its request, by redirect or by polling', async () => {
    const tab = await freshTab();
    const { verifier, brought } = await asked(tab);
    await signInByLink(tab, 'cleo@terminal-sign-in-page.example.org');
    await press(tab, 'Deny');
    const query = await brought;
    expect([query.get('error'), query.get('code'), query.get('state')]).toEqual([
      'access_denied',
      null,
      'of-this-terminal',
    ]);
    await tab.waitForURL(/^http:\/\/127\.0\.0\.1:/);
    await exchange({ code: 'none', verifier }).expect(400);

    const ticket = await openTicket(stele);
    await tab.goto(ticket.url);
    await press(tab, 'Deny');
    await tab.waitForURL(/complete/);
    expect(await heading(tab)).toBe('Denied');
    await exchange({ ticket: ticket.ticket, verifier: ticket.verifier }).expect(403);
  }, 60_000);

  it('a user can switch to another account, and then sees the terminal’s request again', async () => {
    const tab = await freshTab();
    const { url, verifier, brought } = await asked(tab);
    await signInByLink(tab, 'wrong@terminal-sign-in-page.example.org');
    await press(tab, 'Sign in as someone else');
    await tab.waitForURL(/sign-in/);
    await signInByLink(tab, 'right@terminal-sign-in-page.example.org');
    expect(tab.url()).toBe(url);
    expect(await tab.textContent('main')).toContain('right@terminal-sign-in-page.example.org');
    await press(tab, 'Approve');
    const { body } = await exchange({ code: (await brought).get('code'), verifier }).expect(200);
    expect(body).toMatchObject({ user: { email: 'right@terminal-sign-in-page.example.org' } });
  }, 60_000);

  it('if someone else has signed in in another tab, the terminal’s request is shown again', async () => {
    const tab = await freshTab();
    await asked(tab);
    await signInByLink(tab, 'dan@terminal-sign-in-page.example.org');
    const other = await tab.context().newPage();
    await other.goto(`${base}/sites`);
    await press(other, 'Sign out');
    await other.goto(`${base}/sign-in`);
    await signInByLink(other, 'eva@terminal-sign-in-page.example.org');
    await press(tab, 'Approve');
    await tab.waitForSelector('text=eva@terminal-sign-in-page.example.org');
    expect(await heading(tab)).toBe('Allow a terminal to act for you?');
  }, 60_000);

  it('the page says that the terminal’s request has expired', async () => {
    const tab = await freshTab();
    const { url, ticket, verifier } = await openTicket(stele);
    await tab.goto(url);
    await signInByLink(tab, 'fred@terminal-sign-in-page.example.org');
    await stele.query('update terminal_sign_ins set expires_at = now()');
    await press(tab, 'Approve');
    await tab.waitForSelector('text=Start the sign-in again in your terminal');
    await exchange({ ticket, verifier }).expect(400);
  }, 60_000);

  it('other sites, including hosted ones, can’t show the approval page in a frame or submit its form', async () => {
    const tab = await freshTab();
    const { url, ticket, verifier } = await openTicket(stele);
    await tab.goto(url);
    await signInByLink(tab, 'gus@terminal-sign-in-page.example.org');
    const as = await tab.getAttribute('input[name=as]', 'value');
    const hostile = `<iframe src="${url}"></iframe>
<form method="post" action="${url}"><input name="as" value="${as}"><input name="decision" value="approve"></form>`;
    const { body } = await stele.api.post('/v1/deploy').type('html').send(hostile).expect(200);
    const refused = tab.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await tab.goto((body as { url: string }).url);
    expect((await refused).type()).toBe('error');
    const framed = tab.frames().filter((frame) => frame !== tab.mainFrame());
    expect(framed).toHaveLength(1);
    expect(framed[0]?.url()).not.toContain(base);

    const [answer] = await Promise.all([
      tab.waitForResponse((response) => response.request().method() === 'POST'),
      tab.evaluate('document.forms[0].submit()'),
    ]);
    // Without the cookie, nothing is approved. The browser is redirected to the form.
    expect([answer.status(), answer.headers().location]).toEqual([303, new URL(url).pathname]);
    await exchange({ ticket, verifier }).expect(202);
  }, 60_000);
});
