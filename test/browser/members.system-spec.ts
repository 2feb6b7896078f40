// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import type { Stele } from '../support/service/stele.js';

describe('Joining a site by invite in a browser', () => {
  let close: () => Promise<void>;
  let stele: Stele;
  let browser: Browser;

  beforeAll(async () => {
    ({ stele, browser, close } = await openServiceAndBrowser('members'));
  }, 60_000);
  afterAll(() => close?.());

  const linkTo = async (email: string) => `http://localhost:${stele.port}${(await newestMail(stele, email)).path}`;
  const sites = (tab: Page) => tab.locator('ul.sites li').allInnerTexts();

  async function invited(email: string) {
    const ann = await signIn(stele, 'ann@members-page.example.org');
    const { body: site } = await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('ours').expect(200);
    const api = `/v1/sites/${site.slug}`;
    await stele.api.post(`${api}/invites`).set(ann.bearer).send({ email, role: 'editor' }).expect(201);
    return { ann, slug: site.slug as string, api };
  }

  it('an invited user sees the invite, joins, finds the site in their list, and loses access when removed', async () => {
    const { ann, slug, api } = await invited('bob@members-page.example.org');
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(await linkTo('bob@members-page.example.org'));
    const shown = await tab.locator('main').textContent();
    for (const word of ['ann@members-page.example.org', slug, 'editor', 'bob@members-page.example.org'])
      expect(shown).toContain(word);
    // A mail scanner may open the link, but only the button joins the site.
    expect((await stele.api.get(`${api}/members`).set(ann.bearer).expect(200)).body.total).toBe(1);

    await tab.getByRole('button', { name: 'Join as bob@members-page.example.org' }).click();
    await tab.waitForURL('**/sites');
    expect(await sites(tab)).toEqual([expect.stringMatching(new RegExp(`^${slug}\\s+editor`))]);

    const { body } = await stele.api.get(`${api}/members`).set(ann.bearer).expect(200);
    const bob = body.items.find(({ email }: { email: string }) => email === 'bob@members-page.example.org');
    await stele.api.delete(`${api}/members/${bob.id}`).set(ann.bearer).expect(204);
    await tab.reload();
    expect(await sites(tab)).toEqual([]);
    expect(await tab.locator('main').textContent()).toContain('You have no sites yet');
  }, 60_000);

  it('a user who is signed in with another account is told so, and can join as the invited user', async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await invited('dan@members-page.example.org');
    await tab.goto(await linkTo('dan@members-page.example.org'));
    await tab.getByRole('button').click();
    await tab.waitForURL('**/sites');

    const { slug } = await invited('dana@members-page.example.org');
    const link = await linkTo('dana@members-page.example.org');
    await tab.goto(link);
    expect(await tab.locator('main').textContent()).toContain(
      'currently signed in as dan@members-page.example.org. This invite is for dana@members-page.example.org',
    );
    await tab.getByRole('button', { name: 'Join as dana@members-page.example.org' }).click();
    await tab.waitForURL('**/sites');
    expect(await sites(tab)).toEqual([expect.stringContaining(slug)]);

    await tab.goto(link);
    expect(await tab.locator('main').textContent()).toContain('already used');
  }, 60_000);

  it('a page of another site can’t make a user accept an invite', async () => {
    const { ann, api } = await invited('eve@members-page.example.org');
    const link = await linkTo('eve@members-page.example.org');
    const { searchParams, origin } = new URL(link);
    const page = `<form method="post" action="${origin}/v1/invites/accept"><input name="token" value="${searchParams.get('token')}"></form><script>document.forms[0].submit()</script>`;
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send(page).expect(200);
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(site.url);
    await tab.waitForURL('**/v1/invites/accept');
    expect(await tab.locator('main').textContent()).toContain('not sent from one of this service’s pages');
    expect((await stele.api.get(`${api}/members`).set(ann.bearer).expect(200)).body.total).toBe(1);
  }, 60_000);
});
