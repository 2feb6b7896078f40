// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { MailServer } from '../support/people/mail-server.js';
import { askPath, listening, makePkce } from '../support/people/terminal-sign-in.js';
import type { Stele } from '../support/service/stele.js';

const words = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Covers every flow that sends mail: a real mail server receives each message, and a browser opens its links. */
describe('Mailed links and codes in a browser', () => {
  let close: () => Promise<void>;
  let mails: MailServer;
  let stele: Stele;
  let browser: Browser;
  let reader: Page;

  beforeAll(async () => {
    mails = await MailServer.open();
    ({ stele, browser, close } = await openServiceAndBrowser('mail', { SMTP_URL: mails.url }));
    reader = await browser.newPage();
  }, 60_000);
  afterAll(async () => {
    await close?.();
    await mails?.down();
  });

  const home = (path: string) => `http://localhost:${stele.port}${path}`;
  /** Opens a tab without the cookies of the other tabs, like another user or device. */
  const another = async () => (await browser.newContext()).newPage();
  const press = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true }).click();
  const sees = (tab: Page, heading: string) => tab.getByRole('heading', { name: heading, exact: true }).waitFor();
  const reads = async (tab: Page) => words((await tab.locator('main').allInnerTexts()).join(' '));
  const sites = (tab: Page) => tab.locator('ul.sites li').allInnerTexts();

  const isAtHome = async (tab: Page) => {
    await sees(tab, 'Your sites');
    expect(tab.url()).toBe(home('/sites'));
  };

  /** Returns the newest mail, and checks that its plain text and its HTML have the same content. */
  const received = async (to: string) => {
    const { mail, link, code } = mails.newest(to);
    expect(mail.recipients).toEqual([to]);
    expect(mail.to).toMatchObject([{ address: to }]);
    expect(mail.raw).toMatch(/^content-type: multipart\/alternative/im);
    expect(mail.text).toContain(`\n${link}\n`);
    await reader.setContent(mail.html ?? '');
    const shown = words((await reader.locator('body').allInnerTexts()).join(' '));
    expect(shown).toContain(link);
    expect(shown).toBe(words(mail.text ?? ''));
    // `getAttribute` rejects if the mail has two links.
    expect(await reader.locator('a').getAttribute('href')).toBe(link);
    return { subject: mail.subject, text: shown, link, code };
  };

  const askFor = async (tab: Page, email: string) => {
    await tab.getByLabel('Email address').fill(email);
    await press(tab, 'Send me a link');
    await sees(tab, 'Check your inbox');
    expect(await reads(tab)).toContain(email);
    return received(email);
  };
  const askToSignIn = async (tab: Page, email: string) => {
    await tab.goto(home('/sign-in'));
    return askFor(tab, email);
  };
  const type = async (tab: Page, code: string) => {
    const answered = tab.waitForEvent('domcontentloaded');
    await tab.getByLabel('Code').fill(code);
    await press(tab, 'Sign in');
    await answered;
  };
  const signedIn = async (email: string) => {
    const tab = await another();
    await tab.goto((await askToSignIn(tab, email)).link);
    await isAtHome(tab);
    return tab;
  };
  const isRefused = async (tab: Page, link: string) => {
    await tab.goto(link);
    await sees(tab, 'That did not work');
    expect(await reads(tab)).toMatch(/^That did not work This link is unknown, has expired or was already used\./);
  };

  const anonymousSite = async () => {
    const { body } = await stele.api.post('/v1/deploy').type('html').send('<h1>Put here by nobody</h1>').expect(200);
    return body as { slug: string; editToken: string; claimUrl: string };
  };
  const edit = ({ slug, editToken }: { slug: string; editToken: string }) =>
    stele.api.patch(`/v1/deploy?slug=${slug}`).set('x-svc-edit-token', editToken).type('html').send('<h1>Edited</h1>');

  it('the mailed link signs the user in, once, in the browser that requested it', async () => {
    const tab = await another();
    await tab.goto(home('/sites'));
    await sees(tab, 'Sign in');
    const { subject, text, link, code } = await askFor(tab, 'ann@example.org');
    expect(subject).toBe(`Sign in to Stele: ${code}`);
    expect(text).toBe(
      `Open this link to sign in. It works once and expires in 10 minutes: ${link} Or enter this code where you started signing in: ${code} If you didn’t request this email, you can ignore it.`,
    );
    expect(link).toContain(home('/v1/auth/verify?token='));
    await tab.goto(link);
    await isAtHome(tab);
    expect(await reads(tab)).toContain('You have no sites yet.');
    await isRefused(tab, link);
    await isRefused(await another(), link);
  }, 60_000);

  it('the mailed code signs the user in if the mail is read on another device, and invalidates the link', async () => {
    const laptop = await another();
    const { link, code } = await askToSignIn(laptop, 'ben@example.org');
    const phone = await another();
    await phone.goto(link);
    await sees(phone, 'Sign in');
    await type(laptop, code.toLowerCase().replace('-', ' '));
    await isAtHome(laptop);
    await press(phone, 'Sign in');
    await sees(phone, 'That did not work');
  }, 60_000);

  it('after a second sign-in mail, the code of the first mail still works', async () => {
    const first = await askToSignIn(await another(), 'bea@example.org');
    const tablet = await another();
    const second = await askToSignIn(tablet, 'bea@example.org');
    expect(second.code).not.toBe(first.code);
    await type(tablet, first.code);
    await isAtHome(tablet);
  }, 60_000);

  it('a mailed link opened in another browser requires a click', async () => {
    const { link } = await askToSignIn(await another(), 'carl@example.org');
    const phone = await another();
    await phone.goto(link);
    await sees(phone, 'Sign in');
    expect(await reads(phone)).toContain('Sign in on this device as carl@example.org?');
    await phone.reload();
    await press(phone, 'Sign in');
    await isAtHome(phone);
  }, 60_000);

  it('claiming a site by mail revokes its edit token', async () => {
    const site = await anonymousSite();
    await edit(site).expect(200);
    const tab = await another();
    await tab.goto(site.claimUrl);
    await sees(tab, `Claim ${site.slug}`);
    const { subject, text, link } = await askFor(tab, 'dora@example.org');
    expect(subject).toBe(`Claim ${site.slug} on Stele`);
    expect(text).toMatch(
      `Open this link to become the owner of the site ${site.slug}. It works once and expires in ten minutes:`,
    );
    expect(link).toContain(home('/v1/claim/verify?token='));
    await edit(site).expect(200);
    await tab.goto(link);
    await isAtHome(tab);
    expect(await sites(tab)).toEqual([expect.stringMatching(new RegExp(`^${site.slug}\\s+owner`))]);
    const { body } = await edit(site).expect(403);
    expect(body.code).toBe('edit_token_invalid');
    await isRefused(tab, link);

    const late = await another();
    await late.goto(site.claimUrl);
    await sees(late, 'This site already has an owner');
  }, 60_000);

  it('a signed-in user claims a site immediately, without another mail', async () => {
    const tab = await signedIn('emma@example.org');
    const before = mails.mails.length;
    const site = await anonymousSite();
    await tab.goto(site.claimUrl);
    await sees(tab, `Claim ${site.slug}`);
    expect(await reads(tab)).toContain('You are signed in as emma@example.org.');
    await press(tab, 'Claim this site');
    await isAtHome(tab);
    expect(await sites(tab)).toEqual([expect.stringMatching(new RegExp(`^${site.slug}\\s+owner`))]);
    await edit(site).expect(403);
    expect(mails.mails).toHaveLength(before);
  }, 60_000);

  it('an invited user joins a site with the account of the invited address', async () => {
    const owner = await signedIn('fred@example.org');
    const site = await anonymousSite();
    await owner.goto(site.claimUrl);
    await press(owner, 'Claim this site');
    await isAtHome(owner);
    // The service's pages have no form for invites, so the API sends this one.
    const invited = await owner.request.post(home(`/v1/sites/${site.slug}/invites`), {
      data: { email: 'gina@example.org', role: 'editor' },
    });
    expect(invited.status()).toBe(201);
    const { subject, text, link } = await received('gina@example.org');
    expect(subject).toBe(`Join ${site.slug} on Stele`);
    expect(text).toMatch(
      `fred@example.org invited you to join the site ${site.slug} with the role editor. You’ll be able to `,
    );
    expect(text).toMatch('It works once and expires in seven days:');
    expect(link).toContain(home('/v1/invites/accept?token='));

    const tab = await another();
    await tab.goto(link);
    await sees(tab, `Join ${site.slug}`);
    expect(await reads(tab)).toContain('fred@example.org invited you to join');
    await press(tab, 'Join as gina@example.org');
    await isAtHome(tab);
    expect(await sites(tab)).toEqual([expect.stringMatching(new RegExp(`^${site.slug}\\s+editor`))]);
    await tab.goto(link);
    await sees(tab, 'That did not work');
  }, 60_000);

  it('a user who has to sign in first can still approve a terminal', async () => {
    const { server, brought, redirect_uri } = await listening();
    try {
      const { verifier, challenge } = makePkce();
      const asked = home(askPath({ challenge, state: 'of-this-terminal', redirect_uri }));
      const tab = await another();
      await tab.goto(asked);
      await sees(tab, 'Sign in');
      expect(await reads(tab)).toContain('After that, this browser returns to where you were.');
      await tab.goto((await askFor(tab, 'hugo@example.org')).link);
      await sees(tab, 'Allow a terminal to act for you?');
      expect(tab.url()).toBe(asked);
      await press(tab, 'Approve');
      await sees(tab, 'Back in the terminal');
      const code = (await brought).get('code');
      const { body } = await stele.api.post('/v1/auth/cli/exchange').send({ code, verifier }).expect(200);
      const me = await stele.api
        .get('/v1/me')
        .set({ authorization: `Bearer ${body.token}` })
        .expect(200);
      expect(me.body.email).toBe('hugo@example.org');
    } finally {
      server.close();
    }
  }, 60_000);

  it('after signing out, going back does not sign the user in again', async () => {
    const tab = await signedIn('ida@example.org');
    await press(tab, 'Sign out');
    await sees(tab, 'Signed out');
    expect(await reads(tab)).toContain('You are signed out.');
    expect(tab.url()).toBe(home('/signed-out'));
    await tab.goBack();
    await sees(tab, 'Sign in');
    await tab.goto(home('/sites'));
    await sees(tab, 'Sign in');
  }, 60_000);

  it('an invalid or expired link leads to a page that says so and offers a new link', async () => {
    const tab = await another();
    const { link } = await askToSignIn(tab, 'jane@example.org');
    for (const garbled of [link.slice(0, -1), `${link}=`, link.replace('token=', 'token=3D')])
      await isRefused(tab, garbled);
    await stele.query(`update mailed_links set expires_at = now() - interval '1 second'`);
    await isRefused(tab, link);
    await tab.getByRole('link', { name: 'sign in' }).click();
    await tab.goto((await askFor(tab, 'jane@example.org')).link);
    await isAtHome(tab);
  }, 60_000);

  it('a user can retry after a wrong code, but five wrong codes invalidate the right code', async () => {
    const tab = await another();
    const { code } = await askToSignIn(tab, 'karl@example.org');
    for (let n = 0; n < 4; n++) {
      await type(tab, 'WRNG-WRNG');
      await sees(tab, 'Sign-in failed');
      expect(await reads(tab)).toMatch('This code is wrong, has expired or was already used.');
      expect(await reads(tab)).toMatch('the most recent email to karl@example.org');
    }
    await tab.getByLabel('Code').fill(code.slice(0, 4));
    await press(tab, 'Sign in');
    expect(await tab.locator('input[name=code]:invalid').count()).toBe(1);
    await type(tab, code);
    await isAtHome(tab);

    const other = await another();
    const ended = await askToSignIn(other, 'lena@example.org');
    for (const typed of [...Array.from({ length: 5 }, () => 'WRNG-WRNG'), ended.code]) {
      const answer = other.waitForResponse(home('/v1/auth/code'));
      await type(other, typed);
      expect((await answer).status()).toBe(400);
      await sees(other, 'Sign-in failed');
    }
    await other.getByRole('link', { name: 'Send me another email' }).click();
    await sees(other, 'Sign in');
    const { code: fresh } = await askFor(other, 'lena@example.org');
    await type(other, fresh);
    await isAtHome(other);
  }, 60_000);
});
