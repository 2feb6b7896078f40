// needs: database, chromium

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { MemberAdded, MemberRemoved } from '../../src/events/site/member.events.js';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { appendDirectly } from '../support/eventstore/direct-append.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import type { Stele } from '../support/service/stele.js';

const FILES = [
  {
    path: 'index.html',
    content: '<!doctype html><title>Plans</title><h1>Plans</h1><script src="app.js"></script><a href="docs/">Docs</a>',
  },
  { path: 'app.js', content: 'globalThis.plans = "loaded";' },
  { path: 'data.json', content: '{"plan":"secret"}' },
  { path: 'docs/index.html', content: '<!doctype html><title>Docs</title><h1>Docs</h1>' },
];

describe('Visitors of a site that is not public', () => {
  let close: () => Promise<void>;
  let stele: Stele;
  let browser: Browser;
  let owner: Awaited<ReturnType<typeof signIn>>;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    ({ stele, browser, close } = await openServiceAndBrowser('access'));
    owner = await signIn(stele, 'owner@access-page.example.org');
  }, 60_000);
  afterAll(() => close?.());
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(() => context.close());

  async function make(access: object, files = FILES) {
    const { body } = await stele.api.post('/v1/deploy').set(owner.bearer).send({ files }).expect(200);
    const { body: site } = await setTo(body.slug, access);
    return {
      siteId: site.id as string,
      slug: body.slug as string,
      url: body.url as string,
      preview: body.previewUrl as string,
    };
  }
  const setTo = (slug: string, access: object) =>
    stele.api.post(`/v1/sites/${slug}/access`).set(owner.bearer).send(access).expect(200);

  const heading = () => page.textContent('h1');
  const fetched = (path: string, headers: Record<string, string> = {}) =>
    page.evaluate(
      `fetch(${JSON.stringify(path)}, { headers: ${JSON.stringify(headers)} }).then(async (answer) => [answer.status, await answer.text()])`,
    );

  async function know(password: string) {
    await page.fill('input[name=password]', password);
    await page.click('button');
  }

  it('a visitor with the password sees the whole site, until the password changes', async () => {
    const site = await make({ visibility: 'password', password: 'open sesame' });
    await page.goto(`${site.url}docs/`);
    expect(new URL(page.url()).pathname).toBe('/.stele/');
    expect(await heading()).toBe('This site is password-protected');
    // Shows that the page's strict policy allows its own styles.
    expect(await page.evaluate('getComputedStyle(document.querySelector("button")).cursor')).toBe('pointer');

    await know('open says me');
    await page.waitForSelector('[role=alert]');
    expect(await page.textContent('[role=alert]')).toBe('The password is not correct.');
    await know('open sesame');
    await page.waitForURL(`${site.url}docs/`);
    expect(await heading()).toBe('Docs');
    await page.goto(site.url);
    expect(await page.evaluate('plans')).toBe('loaded');
    expect(await fetched('/data.json', { range: 'bytes=2-5' })).toEqual([206, 'plan']);
    expect(await page.evaluate('document.cookie')).toBe('');

    // A past deploy has a host of its own, so the visitor has to enter the password again.
    await page.goto(site.preview);
    expect(await heading()).toBe('This site is password-protected');
    await know('open sesame');
    await page.waitForURL(site.preview);
    expect(await heading()).toBe('Plans');

    await page.goto(site.url);
    await setTo(site.slug, { visibility: 'password', password: 'close sesame' });
    expect(await fetched('/data.json')).toEqual([401, expect.stringContaining('unauthenticated')]);
    expect(await fetched('/app.js', { range: 'bytes=0-9' })).toEqual([401, expect.any(String)]);
    await page.reload();
    expect(await heading()).toBe('This site is password-protected');
    await page.goto(site.preview);
    expect(await heading()).toBe('This site is password-protected');
    await know('close sesame');
    await page.waitForURL(site.preview);
    expect(await heading()).toBe('Plans');
  }, 60_000);

  const join = (siteId: string, userId: string) =>
    appendDirectly(stele, siteId, MemberAdded({ memberId: `mem_${userId}`, userId, role: 'viewer', inviteId: null }));

  it('after signing in by link or code, a member sees the page that they requested', async () => {
    const site = await make({ visibility: 'members' });
    const { user } = await signIn(stele, 'viewer@access-page.example.org');
    await join(site.siteId, user.id);

    for (const way of ['link', 'code'] as const) {
      await context.clearCookies();
      await page.goto(`${site.url}docs/?way=${way}`);
      expect(new URL(page.url()).pathname).toBe('/sign-in');
      await page.fill('input[name=email]', 'viewer@access-page.example.org');
      await page.click('button');
      await page.waitForSelector('input[name=code]');
      const { path, code } = await newestMail(stele, 'viewer@access-page.example.org');
      if (way === 'link') await page.goto(`http://localhost:${stele.port}${path}`);
      else {
        await page.fill('input[name=code]', code);
        await page.click('button');
      }
      await page.waitForURL(`${site.url}docs/?way=${way}`);
      expect(await heading()).toBe('Docs');
    }

    // A user who has entered one site can open their other sites without signing in again.
    const other = await make({ visibility: 'members' });
    await join(other.siteId, user.id);
    await page.goto(other.url);
    await page.waitForURL(other.url);
    expect(await page.evaluate('plans')).toBe('loaded');
    expect(await fetched('/data.json', { range: 'bytes=2-5' })).toEqual([206, 'plan']);
    await page.goto(other.preview);
    await page.waitForURL(other.preview);
    expect(await heading()).toBe('Plans');

    await page.goto(other.url);
    await appendDirectly(stele, other.siteId, MemberRemoved({ memberId: `mem_${user.id}`, userId: user.id }));
    await page.waitForFunction(`fetch('/data.json').then(({ status }) => status === 401)`, undefined, { polling: 50 });
    expect(await fetched('/app.js', { range: 'bytes=0-9' })).toEqual([401, expect.any(String)]);
    for (const url of [other.url, other.preview]) {
      await page.goto(url);
      expect(await heading()).toBe('This site is for members only');
      expect(await page.textContent('main')).toContain('viewer@access-page.example.org');
    }
    // The user is still a member of the first site. Signing out must end that access as well.
    await page.goto(`${site.url}docs/`);
    expect(await heading()).toBe('Docs');
    await page.goto(`http://localhost:${stele.port}/sites`);
    await page.click('form[action="/v1/auth/logout"] button');
    await page.waitForURL('**/signed-out');
    do await page.goto(site.url);
    while (new URL(page.url()).pathname !== '/sign-in');
  }, 60_000);

  it('another hosted site can’t read a private site through its visitor’s browser', async () => {
    const site = await make({ visibility: 'password', password: 'xxxxxxxx' });
    await page.goto(site.url);
    await know('xxxxxxxx');
    await page.waitForURL(site.url);
    const { url } = await make({ visibility: 'public' }, [{ path: 'index.html', content: '<h1>Neighbour</h1>' }]);
    await page.goto(url);
    const outcomes = await page.evaluate(`(async () => {
      const asked = (init) => fetch('${site.url}data.json', init).then((answer) => answer.text()).catch(() => 'refused');
      const loaded = await new Promise((resolve) => {
        const script = Object.assign(document.createElement('script'), { src: '${site.url}app.js' });
        script.onload = () => resolve('loaded');
        script.onerror = () => resolve('refused');
        document.head.append(script);
      });
      const framed = await new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src: '${site.url}' });
        frame.onload = () => resolve(frame.contentDocument ? 'own' : 'other');
        document.body.append(frame);
      });
      return { plain: await asked({}), credentials: await asked({ credentials: 'include' }),
        blind: await asked({ mode: 'no-cors', credentials: 'include' }), loaded, framed, plans: String(globalThis.plans) };
    })()`);
    expect(outcomes).toEqual({
      plain: 'refused',
      credentials: 'refused',
      blind: 'refused',
      loaded: 'refused',
      framed: expect.any(String),
      plans: 'undefined',
    });
    const frames = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')));
    expect(frames.join()).not.toContain('Plans');
  }, 60_000);
});
