// needs: database, chromium

import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { AgentProgram } from '../support/people/agent-program.js';
import { MailServer } from '../support/people/mail-server.js';
import { RealProvider } from '../support/people/real-provider.js';
import { askPath, makePkce, openTicket } from '../support/people/terminal-sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { newRunId, tell } from '../support/sites/runs.js';

const { source: axe } = createRequire(import.meta.url)('axe-core/axe.min.js') as { source: string };

/** Runs all rules but reports only violations, because reporting the passed checks takes longer than checking. */
const runAxe = `axe.run({ resultTypes: ['violations'] })`;

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 720 } };

/** Folder for screenshots of each page. Without it, none are taken. */
const screenshots = process.env.STELE_SCREENSHOTS;

describe('Pages of the service', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let mails: MailServer;
  let provider: RealProvider;
  let bearer: { authorization: string };
  let stele: Stele;
  let browser: Browser;
  let stranger: BrowserContext;
  let owner: BrowserContext;

  const home = (path: string) => `http://localhost:${stele.port}${path}`;
  const anonymousSite = async (query = '') =>
    (await stele.api.post(`/v1/deploy${query}`).type('html').send('<h1>x</h1>').expect(200)).body;
  const linkTo = async (email: string) => {
    await stele.api.post('/v1/auth/start').send({ email }).expect(200);
    return mails.newest(email).link;
  };
  const fill = async (page: Page, path: string, fields: Record<string, string>) => {
    await page.goto(home(path));
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await page.click('main button:not(.quiet)');
    await page.waitForLoadState();
  };
  const keptSite = async (access: object) => {
    const files = ['index.html', 'docs/a picture.png', 'docs/deeper/with-a-rather-long-name-for-a-file.html'];
    const deploy = { files: files.map((path) => ({ path, content: path })) };
    const { body } = await stele.api.post('/v1/deploy').set(bearer).send(deploy).expect(200);
    await stele.api.post(`/v1/sites/${body.slug}/access`).set(bearer).send(access).expect(200);
    return body as { slug: string; url: string };
  };
  const atPasswordDoor = async (page: Page) => {
    const { url } = await keptSite({ visibility: 'password', password: 'open sesame' });
    await page.goto(url);
  };
  const askedByTicket = async (page: Page, decision?: string, exchanged?: number) => {
    const { url, ticket, verifier } = await openTicket(stele);
    await page.goto(url);
    if (decision === undefined) return;
    await page.getByRole('button', { name: decision, exact: true }).click();
    await page.waitForURL(/complete/);
    if (exchanged === undefined) return;
    await stele.api.post('/v1/auth/cli/exchange').send({ ticket, verifier }).expect(exchanged);
    await page.reload();
  };
  const askedByProgram = async (page: Page, decision: string | null = null, changes: Record<string, string> = {}) => {
    const client_name = 'A program with a rather long name, which it has given itself';
    const program = await AgentProgram.registered(stele, { client_name });
    await page.goto(program.request({ scope: 'read publish manage', ...changes }).href);
    if (decision === null) return;
    // Blocks the redirect that would leave the page.
    await page.route('**/oauth/authorize/*', (route) => route.fulfill({ status: 204 }));
    await page.getByRole('button', { name: decision, exact: true }).click();
    await page.waitForLoadState();
  };
  const claimable = async (page: Page) => page.goto((await anonymousSite()).claimUrl);

  beforeAll(async () => {
    temporary = await temporaryFolder('browser-pages');
    mails = await MailServer.open();
    provider = await RealProvider.open({});
    stele = await startStele({ folder: temporary.folder, env: { SMTP_URL: mails.url, ...provider.env } });
    provider.serve(home(''));
    await linkTo('keeper@example.org');
    const { body } = await stele.api.get(mails.newest('keeper@example.org').path).expect(200);
    bearer = { authorization: `Bearer ${body.token}` };
    browser = await openBrowser('--host-resolver-rules=MAP elsewhere.test 127.0.0.1');
    stranger = await browser.newContext();
    owner = await browser.newContext();
    const page = await owner.newPage();
    await page.goto(await linkTo('somebody.with.a.long.address@a-quite-long-name.example.org'));
    await page.click('button');
    for (const query of ['', `?slug=${'a-very-long-name-'.repeat(2)}for-a-site`, '']) {
      const { slug, editToken } = await anonymousSite(query);
      await fill(page, `/claim/${slug}`, { editToken });
    }
    if (screenshots) await mkdir(screenshots, { recursive: true });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await mails?.down();
    await provider?.close();
    await temporary.remove();
  });

  const pages: Record<string, { as?: 'owner'; title: string; open: (page: Page) => Promise<unknown> }> = {
    'to sign in': { title: 'Sign in', open: (page) => page.goto(home('/sign-in')) },
    'after a link was sent': {
      title: 'Check your inbox',
      open: (page) => fill(page, '/sign-in', { email: 'look@example.org' }),
    },
    'that asks for a click': { title: 'Sign in', open: async (page) => page.goto(await linkTo('click@example.org')) },
    'of an expired link': {
      title: 'That did not work',
      open: (page) => page.goto(home('/v1/auth/verify?token=over')),
    },
    'of a wrong code': {
      title: 'Sign-in failed',
      open: async (page) => {
        await fill(page, '/sign-in', { email: 'code@example.org' });
        await page.fill('[name=code]', 'WRONGONE');
        await page.click('button');
      },
    },
    'when mail can’t be sent': {
      title: 'Service unavailable',
      open: (page) => {
        mails.say(452, 3);
        return fill(page, '/sign-in', { email: 'later@example.org' });
      },
    },
    'to claim a site': { title: 'Claim', open: claimable },
    'to claim a site, without its token': {
      title: 'Claim',
      open: async (page) => page.goto(home(`/claim/${(await anonymousSite()).slug}`)),
    },
    'to claim a site when signed in': { as: 'owner', title: 'Claim', open: claimable },
    'after a link to claim was sent': {
      title: 'Check your inbox',
      open: async (page) => {
        await claimable(page);
        await page.fill('[name=email]', 'claim@example.org');
        await page.click('button');
      },
    },
    'that asks for a click to claim': {
      title: 'Claim your site',
      open: async (page) => {
        const { slug, editToken } = await anonymousSite();
        await stele.api.post('/v1/claim/start').send({ slug, editToken, email: 'owner@example.org' }).expect(200);
        await page.goto(mails.newest('owner@example.org').link);
      },
    },
    'of a site that has an owner': {
      title: 'This site already has an owner',
      open: (page) => page.goto(home(`/claim/${'a-very-long-name-'.repeat(2)}for-a-site`)),
    },
    'of a missing site': {
      title: 'Site not found',
      open: (page) => page.goto(home('/claim/nowhere')),
    },
    'of an expired site': {
      title: 'Site expired',
      open: async (page) => {
        const { slug, expiresAt } = await anonymousSite('?expires=1s');
        await page.waitForFunction((until) => Date.now() > Date.parse(until), expiresAt);
        await page.goto(home(`/claim/${slug}`));
      },
    },
    'with my sites': { as: 'owner', title: 'Your sites', open: (page) => page.goto(home('/sites')) },
    'with the first of my sites': {
      as: 'owner',
      title: 'Your sites',
      open: (page) => page.goto(home('/sites?limit=2')),
    },
    'without any site': {
      title: 'Your sites',
      open: async (page) => {
        await page.goto(await linkTo('nobody-yet@example.org'));
        await page.click('button');
        await page.waitForURL(home('/sites'));
      },
    },
    'after signing out': { title: 'Signed out', open: (page) => page.goto(home('/signed-out')) },
    'that approves a terminal on the same machine': {
      as: 'owner',
      title: 'Allow a terminal to act for you?',
      open: (page) => {
        const { challenge } = makePkce();
        return page.goto(home(askPath({ challenge, state: 'x', redirect_uri: 'http://127.0.0.1:49152/callback' })));
      },
    },
    'that approves a terminal elsewhere': {
      as: 'owner',
      title: 'Allow a terminal to act for you?',
      open: (page) => askedByTicket(page),
    },
    'of a terminal that was approved': {
      as: 'owner',
      title: 'Approved',
      open: (page) => askedByTicket(page, 'Approve'),
    },
    'of a terminal that is signed in': {
      as: 'owner',
      title: 'Your terminal is signed in',
      open: (page) => askedByTicket(page, 'Approve', 200),
    },
    'of a terminal that was denied': { as: 'owner', title: 'Denied', open: (page) => askedByTicket(page, 'Deny') },
    'that asks to approve a connected app': {
      as: 'owner',
      title: 'Allow an app to act for you?',
      open: (page) => askedByProgram(page),
    },
    'of an approved connected app': {
      as: 'owner',
      title: 'Allowed',
      open: (page) => askedByProgram(page, 'Allow'),
    },
    'of a denied connected app': { as: 'owner', title: 'Denied', open: (page) => askedByProgram(page, 'Deny') },
    'of a connected app with a refused request': {
      as: 'owner',
      title: 'The app’s request was rejected',
      open: (page) => askedByProgram(page, null, { prompt: 'none' }),
    },
    'with my connected apps': {
      as: 'owner',
      title: 'Connected apps',
      open: async (page) => {
        await askedByProgram(page, 'Allow');
        await page.goto(home('/programs'));
      },
    },
    'of an expired terminal request': {
      title: 'That did not work',
      open: (page) => page.goto(home('/terminal/nobody-asked')),
    },
    'that leads to the identity provider': {
      title: 'Sign in',
      open: async (page) => {
        await page.goto(`${provider.issuer}/.well-known/openid-configuration`);
        await page.evaluate(`location.href = '${home('/v1/auth/idp?returnTo=/sites')}'`);
        await page.waitForSelector('h1');
      },
    },
    'of an invite': {
      as: 'owner',
      title: 'Join',
      open: async (page) => {
        const { slug } = await keptSite({ visibility: 'members' });
        const invite = { email: 'invited@example.org', role: 'editor' };
        await stele.api.post(`/v1/sites/${slug}/invites`).set(bearer).send(invite).expect(201);
        await page.goto(mails.newest('invited@example.org').link);
      },
    },
    'that asks for a password': {
      title: 'This site is password-protected',
      open: atPasswordDoor,
    },
    'of a wrong password': {
      title: 'This site is password-protected',
      open: async (page) => {
        await atPasswordDoor(page);
        await page.fill('[name=password]', 'open says me');
        await page.click('button');
        await page.waitForSelector('[role=alert]');
      },
    },
    'of an expired ticket': {
      title: 'This link is no longer valid',
      open: async (page) => page.goto(`${(await keptSite({ visibility: 'members' })).url}.stele/enter?ticket=over`),
    },
    'for people who are not members': {
      as: 'owner',
      title: 'This site is for members only',
      open: async (page) => page.goto((await keptSite({ visibility: 'members' })).url),
    },
    'that continues to a site': {
      title: 'You are signed in',
      open: async (page) => {
        const { url } = await keptSite({ visibility: 'members' });
        // Blocks the redirect that would leave the page.
        await page.route('**/.stele/enter?*', (route) => route.fulfill({ status: 204 }));
        await page.goto(url);
        await page.fill('[name=email]', 'keeper@example.org');
        await page.click('main button');
        await page.waitForSelector('[name=code]');
        await page.fill('[name=code]', mails.newest('keeper@example.org').code);
        await page.click('main button');
        await page.waitForURL(/visit/);
      },
    },
    'with the files of a folder': {
      title: 'docs',
      open: async (page) => {
        const { slug, url } = await keptSite({ visibility: 'public' });
        const listing = { name: 'listing', enabled: true };
        await stele.api.post(`/v1/sites/${slug}/capabilities`).set(bearer).send(listing).expect(200);
        await page.goto(`${url}docs/`);
      },
    },
    'for a missing file of a site': {
      title: 'Page not found',
      open: async (page) => page.goto(`${(await keptSite({ visibility: 'public' })).url}no/such/page`),
    },
    'of a site that was deleted': {
      title: 'There is no site here',
      open: async (page) => {
        const { slug, url } = await keptSite({ visibility: 'public' });
        await stele.api.delete(`/v1/sites/${slug}`).set(bearer).expect(204);
        await page.goto(url);
      },
    },
    'of a site that was renamed': {
      title: 'Page not found',
      open: async (page) => {
        const { slug, url } = await keptSite({ visibility: 'public' });
        await stele.api.post(`/v1/sites/${slug}/rename`).set(bearer).send({ slug: 'has-moved' }).expect(200);
        await page.goto(`${url}no/such/page`);
        expect(new URL(page.url()).host).toBe(`has-moved.localhost:${stele.port}`);
      },
    },
    'in place of an expired site': {
      title: 'Site expired',
      open: async (page) => {
        const { url, expiresAt } = await anonymousSite('?expires=1s');
        await page.waitForFunction((until) => Date.now() > Date.parse(until), expiresAt);
        await page.goto(url);
      },
    },
    'at the root path': { title: 'Put a page online', open: (page) => page.goto(home('/')) },
    'at the root path, for a signed-in person': {
      as: 'owner',
      title: 'Put a page online',
      open: (page) => page.goto(home('/')),
    },
    'of a run of the command line': {
      title: 'Command-line run',
      open: async (page) => {
        const runId = newRunId();
        const text = '\u001b[1;32mUploading\u001b[0m \u001b[2mdist/\u001b[22m\u001b[97;44m index.html \u001b[0m';
        for (const said of [text, `http://example.org/${'a-long-address/'.repeat(20)}`])
          await tell(stele, runId, 'run.log', { text: said }).expect(202);
        await page.goto(home(`/runs/${runId}`));
        await tell(stele, runId, 'run.succeeded', { url: (await anonymousSite()).url }).expect(202);
        await page.locator('#state a').waitFor();
      },
    },
    'under a foreign host name': {
      title: 'Host not served here',
      open: async (page) => {
        await page.goto(`http://elsewhere.test:${stele.port}/`);
        // The error page has our own style, although it cannot load a style sheet from this host.
        expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily")).toMatch(/^Georgia/);
      },
    },
    'at a missing path': { title: 'Page not found', open: (page) => page.goto(home('/no/such/page')) },
    'of an invalid path': {
      title: 'This request is not valid',
      open: (page) => page.goto(home('/sites?page=none')),
      as: 'owner',
    },
    'in place of a missing site': {
      title: '',
      open: (page) => page.goto(`http://nothing-there.localhost:${stele.port}/`),
    },
  };

  it.each(Object.entries(pages))(
    'the page %s is readable and accessible, in light and dark mode, on desktop and phone',
    async (name, { as, title, open }) => {
      const page = await (as === 'owner' ? owner : stranger).newPage();
      const scripts: string[] = [];
      page.on(
        'request',
        (request) => request.resourceType() === 'script' && scripts.push(new URL(request.url()).pathname),
      );
      await open(page);
      await page.waitForLoadState();
      // A click may return before the next page has loaded.
      await page.locator('h1', { hasText: title }).first().waitFor();
      expect(await page.title()).toContain(title);
      expect(scripts.filter((path) => !path.startsWith('/assets/'))).toEqual([]);
      await page.evaluate(axe);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport);
          if (screenshots)
            await page.screenshot({
              path: join(screenshots, `${name.replace(/\W+/g, '-')}.${size}.${colorScheme}.png`),
            });
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        }
        const { violations } = (await page.evaluate(runAxe)) as AxeResults;
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
      }
      await page.close();
      await stranger.clearCookies();
    },
    30_000,
  );
});
