import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemberAdded, MemberRemoved } from '../../../src/events/site/member.events.js';
import { appendDirectly } from '../../support/eventstore/direct-append.js';
import { signIn } from '../../support/people/sign-in.js';
import { NAVIGATION, visitorOf } from '../../support/people/site-visitor.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import type { RawAnswer } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Made = { siteId: string; slug: string; deployId: string; host: string; preview: string };
type Person = Awaited<ReturnType<typeof signIn>>;

const SCRIPT = `console.log('${'secret '.repeat(400)}');`;
const FILES = [
  { path: 'index.html', content: '<h1>Plans</h1><script src="app.3f2a9c1b7d.js"></script>' },
  { path: 'app.3f2a9c1b7d.js', content: SCRIPT },
  { path: 'docs/index.html', content: '<h1>Docs</h1>' },
  { path: '404.html', content: '<h1>No such plan</h1>' },
  { path: '_redirects', content: '/old /docs/ 301\n/away https://elsewhere.example/ 302\n' },
  {
    path: '_headers',
    content: '/*\n  X-Plan: secret\n  Cache-Control: public, max-age=600\n  Access-Control-Allow-Origin: *\n',
  },
];

describe('Access to a site', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let ann: Person;
  let bob: Person;
  let eve: Person;
  beforeAll(async () => {
    const temporary = await temporaryFolder('access');
    remove = temporary.remove;
    stele = await startStele({ folder: temporary.folder, env: { STELE_RATE_LIMITS: 'on' } });
    ann = await signIn(stele, 'ann@example.org');
    bob = await signIn(stele, 'bob@example.org');
    eve = await signIn(stele, 'eve@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  async function make(files = FILES): Promise<Made> {
    const { body } = await stele.api.post('/v1/deploy').set(ann.bearer).send({ files }).expect(200);
    const { body: site } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    const [host, preview] = [new URL(body.url).host, new URL(body.previewUrl).host];
    return { siteId: site.id, slug: body.slug, deployId: body.deployId, host, preview };
  }

  const access = (slug: string, body: object, bearer = ann.bearer) =>
    stele.api.post(`/v1/sites/${slug}/access`).set(bearer).send(body);
  const setTo = async (slug: string, body: object) => (await access(slug, body).expect(200)).body;
  const code = (of: string) => expect.objectContaining({ code: of });
  const join = ({ siteId }: Made, { user }: Person) =>
    appendDirectly(
      stele,
      siteId,
      MemberAdded({ memberId: `mem_${user.id}`, userId: user.id, role: 'viewer', inviteId: null }),
    );
  const leave = ({ siteId }: Made, { user }: Person) =>
    appendDirectly(stele, siteId, MemberRemoved({ memberId: `mem_${user.id}`, userId: user.id }));

  /** Waits for changes by another process, which arrive within a second. */
  async function until(holds: () => Promise<boolean>) {
    const end = Date.now() + 20_000;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error('It never came to be.');
    }
  }

  /** Checks that the response reveals nothing about the site. */
  function toldNothing({ status, headers, body }: RawAnswer) {
    expect(body.toString()).not.toMatch(/Plans|secret|Docs|No such plan/);
    expect(JSON.stringify(headers)).not.toMatch(
      /secret|elsewhere|public|immutable|"access-control-allow-origin"|"etag"/,
    );
    expect(headers['cache-control']).toBe('no-store');
    return status;
  }

  describe('access with a password', () => {
    it('once a password is set, only visitors who know it have access', async () => {
      const site = await make();
      const { visit, knock } = visitorOf(stele, site.host);
      expect((await visit('/')).status).toBe(200);
      expect(await setTo(site.slug, { visibility: 'password', password: 'open sesame' })).toMatchObject({
        visibility: 'password',
      });

      const asked = await visit('/docs/?a=1', NAVIGATION);
      expect([toldNothing(asked), asked.headers.location]).toEqual([303, '/.stele/?to=%2Fdocs%2F%3Fa%3D1']);
      const form = await visit(asked.headers.location ?? '', NAVIGATION);
      expect(toldNothing(form)).toBe(200);
      expect(form.body.toString()).toContain('name="password"');
      expect(form.body.toString()).not.toContain('<script');
      expect(form.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );

      const wrong = await knock({ password: 'open sesam', to: '/docs/?a=1' });
      expect([toldNothing(wrong), wrong.headers['set-cookie']]).toEqual([403, undefined]);
      const right = await knock({ password: 'open sesame', to: '/docs/?a=1' });
      expect([right.status, right.headers.location]).toEqual([303, '/docs/?a=1']);
      expect(String(right.headers['set-cookie'])).toMatch(
        /^stele_visitor=[\w.-]+; Max-Age=\d+; HttpOnly; SameSite=Lax; Path=\/$/,
      );
      const cookie = { cookie: String(right.headers['set-cookie']).split(';', 1)[0] ?? '' };
      expect((await visit('/docs/?a=1', { ...NAVIGATION, ...cookie })).body.toString()).toBe('<h1>Docs</h1>');
    });

    it('the password is not stored in readable form', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'password', password: 'öffne dich' });
      const { knock, byPassword } = visitorOf(stele, site.host);
      const [kept] = await stele.query(`select * from site_passwords where site_id = '${site.siteId}'`);
      expect(kept?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      const { body } = await stele.api.get(`/v1/sites/${site.slug}/history`).set(ann.bearer).expect(200);
      expect(body.items[0]).toMatchObject({
        type: 'SiteAccessSet',
        summary: 'Made visible to anyone with the password',
      });
      expect(JSON.stringify(body)).not.toContain('ffne');
      // A password matches regardless of how the keyboard encodes its characters.
      expect((await knock({ password: 'öffne dich'.normalize('NFD') })).status).toBe(303);

      await byPassword('öffne dich');
      await setTo(site.slug, { visibility: 'public' });
      expect(await stele.query(`select * from site_passwords where site_id = '${site.siteId}'`)).toEqual([]);
    });

    it('a former password, another site’s password and another host’s cookie are refused', async () => {
      const [one, two] = [await make(), await make()];
      await setTo(one.slug, { visibility: 'password', password: 'first one' });
      await setTo(two.slug, { visibility: 'password', password: 'first one' });
      const [ones, twos, preview] = [one.host, two.host, one.preview].map((host) => visitorOf(stele, host));
      const first = await ones!.byPassword('first one');
      expect((await ones!.visit('/', first)).status).toBe(200);
      expect(toldNothing(await twos!.visit('/', first))).toBe(401);
      expect(toldNothing(await preview!.visit('/', first))).toBe(401);

      // Setting the same password again counts as a change, so visitors have to enter it again.
      await setTo(one.slug, { visibility: 'password', password: 'first one' });
      expect(toldNothing(await ones!.visit('/', first))).toBe(401);
      const again = await ones!.byPassword('first one');
      await setTo(one.slug, { visibility: 'password', password: 'second one' });
      expect(toldNothing(await ones!.visit('/', again))).toBe(401);
      expect((await ones!.knock({ password: 'first one' })).status).toBe(403);
      expect((await ones!.visit('/', await ones!.byPassword('second one'))).status).toBe(200);

      // Setting the visibility that the site already has leaves all visitors signed in.
      const second = await ones!.byPassword('second one');
      await setTo(one.slug, { visibility: 'password' });
      expect((await ones!.visit('/', second)).status).toBe(200);
      await setTo(one.slug, { visibility: 'members' });
      expect(toldNothing(await ones!.visit('/', second))).toBe(401);
    });

    it('a visitor’s cookie is accepted only with its original signature', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'password', password: 'xxxxxxxx' });
      const { visit, byPassword } = visitorOf(stele, site.host);
      const { cookie = '' } = await byPassword('xxxxxxxx');
      const [name, value = ''] = cookie.split('=');
      const [text = '', seal] = value.split('.');
      const later = Buffer.from(
        JSON.stringify({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), expiresAt: 9e15 }),
      ).toString('base64url');
      for (const forged of [`${later}.${seal}`, `${text}.`, text, 'null', `${text}.${'A'.repeat(43)}`])
        expect(toldNothing(await visit('/', { cookie: `${name}=${forged}` }))).toBe(401);
      // A neighboring site can set invalid cookies of the same name. The visitor's valid cookie is still accepted.
      expect((await visit('/', { cookie: `${name}=x; ${cookie}; ${name}=y` })).status).toBe(200);
    });

    it('an IP address can try ten wrong passwords a minute, and correct passwords do not count', async () => {
      const [site, other] = [await make(), await make()];
      await setTo(site.slug, { visibility: 'password', password: 'xxxxxxxx' });
      await setTo(other.slug, { visibility: 'password', password: 'xxxxxxxx' });
      const { knock } = visitorOf(stele, site.host);
      for (let right = 0; right < 12; right++) expect((await knock({ password: 'xxxxxxxx' })).status).toBe(303);
      const tries = await Promise.all(Array.from({ length: 14 }, (_, n) => knock({ password: `${n}` })));
      expect(tries.filter(({ status }) => status === 403)).toHaveLength(10);
      const refused = tries.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(4);
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await knock({ password: 'xxxxxxxx' })).status).toBe(429);
      expect((await visitorOf(stele, other.host).knock({ password: 'xxxxxxxx' })).status).toBe(303);
    }, 180_000);

    it('the error explains which passwords are allowed', async () => {
      const { slug } = await make();
      const fault = async (body: object) => (await access(slug, body).expect(400)).body.errors;
      expect(await fault({ visibility: 'password' })).toEqual([
        { path: 'password', message: expect.stringContaining('is required') },
      ]);
      for (const short of ['', 'x', 'seven c', '🔑🔑🔑🔑🔑🔑🔑'])
        expect(await fault({ visibility: 'password', password: short })).toEqual([
          { path: 'password', message: 'must have at least 8 characters' },
        ]);
      expect(await fault({ visibility: 'password', password: 'ö'.repeat(513) })).toEqual([
        { path: 'password', message: 'must have at most 1,024 bytes' },
      ]);
      expect(await fault({ visibility: 'members', password: 'xxxxxxxx' })).toEqual([
        { path: 'password', message: expect.stringContaining('only') },
      ]);
      expect(await fault({ visibility: 'friends' })).toEqual([{ path: 'visibility', message: expect.any(String) }]);
      expect(await fault({ visibility: 'public', passwort: 'x' })).toHaveLength(1);
      const long = 'ö'.repeat(512);
      await setTo(slug, { visibility: 'password', password: long });
      await visitorOf(stele, new URL(`http://${slug}.localhost:${stele.port}`).host).byPassword(long);
    });

    it('the password form never redirects to another host, and only the site’s own form is accepted', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'password', password: 'xxxxxxxx' });
      const { visit, knock } = visitorOf(stele, site.host);
      for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', '/.stele/?to=/', 'x'])
        expect((await knock({ password: 'xxxxxxxx', to })).headers.location).toBe('/');
      expect((await visit('//evil.example/', NAVIGATION)).headers.location).toBe('/.stele/');
      const shown = await visit(`/.stele/?to=${encodeURIComponent('/"><script>alert(1)</script>')}`, NAVIGATION);
      expect(shown.body.toString()).not.toContain('<script');

      expect((await knock({ password: 'xxxxxxxx' }, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
      expect((await knock({ password: 'xxxxxxxx' }, { origin: 'http://evil.localhost' })).status).toBe(403);
      expect((await knock({ password: 'xxxxxxxx' }, { origin: `http://${site.host}` })).status).toBe(303);
      expect((await knock({ password: 'xxxxxxxx' }, { 'content-type': 'application/json' })).status).toBe(415);
      expect((await knock({ password: 'x'.repeat(20_000) })).status).toBe(413);
      expect((await visit('/.stele/', NAVIGATION, 'PUT')).status).toBe(405);
      expect((await visit('/.stele/nothing', NAVIGATION)).status).toBe(404);
      expect((await visit('/', NAVIGATION, 'POST')).status).toBe(405);
    });
  });

  describe('access for members', () => {
    it('a site for members sends visitors to the service, which gives access only to members', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const { visit, asMember } = visitorOf(stele, site.host);
      const sent = await visit('/docs/?a=1', NAVIGATION);
      expect(toldNothing(sent)).toBe(303);
      expect(sent.headers.location).toBe(`http://localhost:${stele.port}/visit?at=${site.slug}&to=%2Fdocs%2F%3Fa%3D1`);
      const cookie = await asMember(ann.bearer, '/docs/?a=1');
      const shown = await visit('/docs/?a=1', cookie);
      expect(shown.body.toString()).toBe('<h1>Docs</h1>');

      const { pathname, search } = new URL(sent.headers.location ?? '');
      const away = stele.raw.get(pathname + search).set('accept', 'text/html');
      const stranger = await away.set(eve.bearer).expect(403);
      expect(stranger.text).toContain('eve@example.org');
      expect(stranger.text).not.toContain('ticket');
    });

    it('users return to the page they wanted to visit after they sign in', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const sent = await visitorOf(stele, site.host).visit('/docs/', NAVIGATION);
      const { pathname, search } = new URL(sent.headers.location ?? '');
      const answer = await stele.raw
        .get(pathname + search)
        .set('accept', 'text/html')
        .expect(303);
      expect(answer.headers.location).toBe('/sign-in');
      expect(String(answer.headers['set-cookie'])).toContain(`stele_return=/visit?at=${site.slug}&to=%2Fdocs%2F;`);
    });

    it('after the sign-in form, a Refresh header leads to the site, because browsers would block a redirect', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const answer = await stele.raw
        .get(`/visit?at=${site.slug}&to=/docs/`)
        .set({ ...ann.bearer, 'sec-fetch-site': 'same-origin', accept: 'text/html' })
        .expect(200);
      expect(answer.headers.refresh).toMatch(new RegExp(`^0; url=http://${site.host}/.stele/enter\\?ticket=`));
    });

    it('an access ticket can be used only once, even if the first use was on the wrong host', async () => {
      const [site, other] = [await make(), await make()];
      await setTo(site.slug, { visibility: 'members' });
      await setTo(other.slug, { visibility: 'members' });
      const { visit, ticketFor } = visitorOf(stele, site.host);
      const isOver = async (ticket: string, at = visit) => {
        const answer = await at(ticket, NAVIGATION);
        expect([toldNothing(answer), answer.headers['set-cookie']]).toEqual([400, undefined]);
      };

      const ticket = await ticketFor(ann.bearer);
      expect((await visit(ticket, NAVIGATION, 'HEAD')).status).toBe(405);
      const atOnce = await Promise.all(Array.from({ length: 8 }, () => visit(ticket, NAVIGATION)));
      expect(atOnce.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400, 400, 400]);
      await isOver(ticket);

      const elsewhere = await ticketFor(ann.bearer);
      await isOver(elsewhere, visitorOf(stele, other.host).visit);
      await isOver(elsewhere, visitorOf(stele, site.preview).visit);
      await isOver(elsewhere);

      const { cookie = '' } = await visitorOf(stele, site.host).asMember(ann.bearer);
      await isOver(`/.stele/enter?ticket=${cookie.split('=')[1]}`);
      for (const forged of ['', 'x', 'x.y', `${(await ticketFor(ann.bearer)).slice(20, -3)}AAA`])
        await isOver(`/.stele/enter?ticket=${forged}`);

      await join(site, bob);
      const seen = visitorOf(stele, site.host);
      await until(async () => {
        const { status } = await stele.raw.get(`/visit?at=${site.slug}`).set({ ...bob.bearer, accept: 'text/html' });
        return status === 303;
      });
      const bobs = await seen.ticketFor(bob.bearer);
      await leave(site, bob);
      await until(async () => {
        const { status } = await stele.raw.get(`/visit?at=${site.slug}`).set({ ...bob.bearer, accept: 'text/html' });
        return status === 403;
      });
      await isOver(bobs);
    }, 180_000);

    it('after signing in, visitors are redirected only to the host of a site', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const go = (query: string) => stele.raw.get(`/visit?${query}`).set({ ...ann.bearer, accept: 'text/html' });
      for (const at of ['evil.example', 'evil.example%2F', 'a.b', '', 'localhost', 'no-such-site', 'dep-x'])
        expect([400, 404]).toContain((await go(`at=${at}&to=/`)).status);
      for (const to of ['https://evil.example/', '//evil.example', '/%5Cevil.example', '%2F%2Fevil.example']) {
        const { location } = (await go(`at=${site.slug}&to=${to}`).expect(303)).headers;
        const entered = await visitorOf(stele, site.host).visit(
          new URL(location ?? '').pathname + new URL(location ?? '').search,
          NAVIGATION,
        );
        expect(entered.headers.location).toBe('/');
      }
      await setTo(site.slug, { visibility: 'public' });
      const open = await go(`at=${site.slug}&to=//evil.example`).expect(303);
      expect(open.headers.location).toBe(`http://${site.host}/`);
    });

    it('a member who is removed or signs out loses access to the site', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const [main, preview] = [visitorOf(stele, site.host), visitorOf(stele, site.preview)];
      await join(site, bob);
      await until(async () => {
        const { status } = await stele.raw.get(`/visit?at=${site.slug}`).set({ ...bob.bearer, accept: 'text/html' });
        return status === 303;
      });
      const cookie = await main.asMember(bob.bearer);
      const ofPreview = await preview.asMember(bob.bearer);
      const ranged = { ...cookie, range: 'bytes=0-9' };
      expect((await main.visit('/app.3f2a9c1b7d.js', ranged)).status).toBe(206);
      expect((await preview.visit('/', ofPreview)).status).toBe(200);
      const { headers } = await main.visit('/', cookie);

      await leave(site, bob);
      await until(async () => (await main.visit('/', cookie)).status === 401);
      const conditional = { ...cookie, 'if-none-match': headers.etag ?? '' };
      const coded = { ...cookie, 'accept-encoding': 'br' };
      expect(toldNothing(await main.visit('/', conditional))).toBe(401);
      expect(toldNothing(await main.visit('/app.3f2a9c1b7d.js', ranged))).toBe(401);
      expect(toldNothing(await main.visit('/app.3f2a9c1b7d.js', coded))).toBe(401);
      expect(toldNothing(await main.visit('/', cookie, 'HEAD'))).toBe(401);
      expect(toldNothing(await preview.visit('/', ofPreview))).toBe(401);

      const dave = await signIn(stele, 'dave@example.org');
      await join(site, dave);
      await until(async () => {
        const { status } = await stele.raw.get(`/visit?at=${site.slug}`).set({ ...dave.bearer, accept: 'text/html' });
        return status === 303;
      });
      const daves = await main.asMember(dave.bearer);
      expect((await main.visit('/', daves)).status).toBe(200);
      await stele.api.post('/v1/auth/logout').set(dave.bearer).expect(204);
      await until(async () => (await main.visit('/', daves)).status === 401);
    }, 180_000);
  });

  it('a removed member loses access in the next request, on every host', async () => {
    const site = await make();
    await setTo(site.slug, { visibility: 'members' });
    await join(site, bob);
    const both = [visitorOf(stele, site.host), visitorOf(stele, site.preview)];
    await until(async () => {
      const { status } = await stele.raw.get(`/visit?at=${site.slug}`).set({ ...bob.bearer, accept: 'text/html' });
      return status === 303;
    });
    const cookies = await Promise.all(both.map(({ asMember }) => asMember(bob.bearer)));
    const seen = () => Promise.all(both.map(async ({ visit }, n) => (await visit('/', cookies[n])).status));
    expect(await seen()).toEqual([200, 200]);
    await stele.api.delete(`/v1/sites/${site.slug}/members/mem_${bob.user.id}`).set(ann.bearer).expect(204);
    expect(await seen()).toEqual([401, 401]);
    await stele.api.get(`/v1/sites/${site.slug}`).set(bob.bearer).expect(404);
  }, 180_000);

  describe('access checks on every path', () => {
    it('access is checked on every path, including those of past deploys, before anything is revealed', async () => {
      const site = await make();
      const main = visitorOf(stele, site.host);
      // The site was public when these paths were first requested, so their responses are cached.
      const paths = [
        '/',
        '/app.3f2a9c1b7d.js',
        '/docs/',
        '/docs',
        '/nothing',
        '/old',
        '/away',
        '/_headers',
        '/_redirects',
      ];
      const { headers: before } = await main.visit('/app.3f2a9c1b7d.js', { 'accept-encoding': 'br' });
      expect(before['cache-control']).toContain('max-age=600');
      for (const path of paths) await main.visit(path);
      await setTo(site.slug, { visibility: 'password', password: 'xxxxxxxx' });
      const etag = { 'if-none-match': before.etag ?? '', 'accept-encoding': 'br' };
      for (const host of [site.host, site.preview]) {
        const { visit } = visitorOf(stele, host);
        for (const path of paths) {
          expect([path, toldNothing(await visit(path))]).toEqual([path, 401]);
          expect(toldNothing(await visit(path, {}, 'HEAD'))).toBe(401);
          expect(toldNothing(await visit(path, etag))).toBe(401);
          expect(toldNothing(await visit(path, { range: 'bytes=0-3' }))).toBe(401);
          expect(toldNothing(await visit(path, { 'accept-encoding': 'br, zstd' }))).toBe(401);
          const asked = await visit(path, NAVIGATION);
          expect([toldNothing(asked), asked.headers.location]).toEqual([
            303,
            path === '/' ? '/.stele/' : `/.stele/?to=${encodeURIComponent(path)}`,
          ]);
        }
      }
    });

    it('private content can be cached only by the visitor’s browser, which must revalidate it', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'password', password: 'xxxxxxxx' });
      const { visit, byPassword } = visitorOf(stele, site.host);
      const cookie = await byPassword('xxxxxxxx');
      const kept = { 'cache-control': 'private, no-cache', 'cross-origin-resource-policy': 'same-origin' };
      const asset = await visit('/app.3f2a9c1b7d.js', { ...cookie, 'accept-encoding': 'br' });
      expect(asset).toMatchObject({ status: 200, headers: { ...kept, 'content-encoding': 'br' } });
      expect(asset.headers.vary).toBe('cookie, accept-encoding');
      expect(asset.headers).toMatchObject({ 'x-plan': 'secret', 'x-robots-tag': 'noindex' });
      expect(asset.headers).not.toHaveProperty('access-control-allow-origin');

      const same = { ...cookie, 'accept-encoding': 'br', 'if-none-match': asset.headers.etag ?? '' };
      expect(await visit('/app.3f2a9c1b7d.js', same)).toMatchObject({ status: 304, headers: kept });
      const part = await visit('/app.3f2a9c1b7d.js', { ...cookie, range: 'bytes=0-9' });
      expect(part).toMatchObject({ status: 206, headers: kept });
      expect(part.body.toString()).toBe(SCRIPT.slice(0, 10));
      expect(await visit('/nothing', cookie)).toMatchObject({ status: 404, headers: kept });
      expect(await visit('/old', cookie)).toMatchObject({ status: 301, headers: { ...kept, location: '/docs/' } });
      expect(await visit('/', cookie, 'HEAD')).toMatchObject({ status: 200, headers: kept });
      // A response for this path is cached, but access is checked first.
      expect(toldNothing(await visit('/app.3f2a9c1b7d.js', { 'accept-encoding': 'br' }))).toBe(401);
    });

    it('only public sites are available under the service’s own address', async () => {
      const site = await make();
      // The page contains the slug in a link, so the missing site's slug must have the same length.
      const noSite = site.slug.replace(/^./, (first: string) => (first === 'x' ? 'y' : 'x'));
      const look = async (path: string, headers: Record<string, string> = {}) => {
        const { status, headers: got, text } = await stele.raw.get(path).set(headers);
        const { date: _date, ...head } = got;
        return { status, head, text: text.replaceAll(site.slug, noSite) };
      };
      const missing = await look(`/s/${noSite}/`, NAVIGATION);
      expect(missing.status).toBe(404);
      expect((await look(`/s/${site.slug}/`)).status).toBe(200);
      for (const access of [{ visibility: 'password', password: 'xxxxxxxx' }, { visibility: 'members' }]) {
        await setTo(site.slug, access);
        for (const path of ['', 'docs/', 'app.3f2a9c1b7d.js', `@${site.deployId}/`, '.stele/', '.stele/enter?ticket=x'])
          expect([path, await look(`/s/${site.slug}/${path}`, NAVIGATION)]).toEqual([path, missing]);
        expect(await look(`/s/${site.slug}/`, { ...NAVIGATION, ...ann.bearer })).toEqual(missing);
      }
      await setTo(site.slug, { visibility: 'public' });
      const shown = await look(`/s/${site.slug}/.stele/`, NAVIGATION);
      expect(shown.head).not.toHaveProperty('set-cookie');
    });

    it('everybody has access again as soon as the site is made public', async () => {
      const site = await make();
      await setTo(site.slug, { visibility: 'members' });
      const { visit } = visitorOf(stele, site.host);
      expect((await visit('/')).status).toBe(401);
      await setTo(site.slug, { visibility: 'public' });
      expect((await visit('/', NAVIGATION)).status).toBe(200);
      expect((await visit('/.stele/?to=/docs/', NAVIGATION)).headers.location).toBe('/docs/');
      expect((await visit('/.stele/enter?ticket=x', NAVIGATION)).headers.location).toBe('/');
    });
  });

  describe('access settings in the API', () => {
    it('only the owner can change the access setting, and only if If-Match matches', async () => {
      const site = await make();
      await access(site.slug, { visibility: 'members' }, eve.bearer).expect(403);
      const { body } = await stele.api
        .post(`/v1/sites/${site.slug}/access`)
        .send({ visibility: 'members' })
        .expect(401);
      expect(body).toEqual(code('unauthenticated'));
      const { headers } = await stele.api.get(`/v1/sites/${site.slug}`).expect(200);
      const stale = await access(site.slug, { visibility: 'members' }).set('if-match', '"99"').expect(412);
      expect(stale.body).toEqual(code('revision_mismatch'));
      const set = await access(site.slug, { visibility: 'members' })
        .set('if-match', headers.etag ?? '')
        .expect(200);
      const shown = await stele.api.get(`/v1/sites/${site.slug}`).set(ann.bearer).expect(200);
      expect([set.body, set.headers.etag]).toEqual([shown.body, shown.headers.etag]);
      await access('no-such-site', { visibility: 'members' }).expect(404);

      const anonymous = (await stele.api.post('/v1/deploy').type('html').send('x').expect(200)).body;
      await stele.api
        .post(`/v1/sites/${anonymous.slug}/access`)
        .set('x-svc-edit-token', anonymous.editToken)
        .send({ visibility: 'members' })
        .expect(403);
      // The password of a refused change is not stored.
      await access(site.slug, { visibility: 'password', password: 'xxxxxxxx' }).set('if-match', '"1"').expect(412);
      expect(await stele.query(`select * from site_passwords where site_id = '${site.siteId}'`)).toEqual([]);
    });

    it('callers without a role get the same response as for a missing site, on every route and before other checks', async () => {
      const site = await make();
      const { deployId } = site;
      const routes: readonly (readonly ['get' | 'post' | 'patch' | 'delete', (slug: string) => string, object?])[] = [
        ['get', (slug) => `/v1/sites/${slug}`],
        ['get', (slug) => `/v1/sites/${slug}/deploys`],
        ['get', (slug) => `/v1/sites/${slug}/deploys/diff?from=${deployId}&to=${deployId}`],
        ['get', (slug) => `/v1/sites/${slug}/files`],
        ['get', (slug) => `/v1/sites/${slug}/files.zip`],
        ['get', (slug) => `/v1/sites/${slug}/history`],
        ['get', (slug) => `/v1/sites/${slug}/events`],
        ['get', (slug) => `/v1/sites/${slug}/members`],
        ['get', (slug) => `/v1/sites/${slug}/invites`],
        ['post', (slug) => `/v1/sites/${slug}/invites`, { email: 'eve@example.org', role: 'viewer' }],
        ['patch', (slug) => `/v1/sites/${slug}/members/mem_x`, { role: 'owner' }],
        ['delete', (slug) => `/v1/sites/${slug}/members/mem_x`],
        ['post', (slug) => `/v1/sites/${slug}/rollback`, { deployId }],
        ['post', (slug) => `/v1/sites/${slug}/rerun`, {}],
        ['post', (slug) => `/v1/sites/${slug}/access`, { visibility: 'public' }],
        ['patch', (slug) => `/v1/deploy?slug=${slug}`, { files: [{ path: 'index.html', content: 'mine' }] }],
      ];
      const ask = async (
        [method, path, body]: (typeof routes)[number],
        slug: string,
        headers: Record<string, string>,
      ) => {
        const {
          status,
          headers: got,
          body: said,
        } = await stele.api[method](path(slug))
          .set(headers)
          .send(body as object);
        const { requestId, instance, ...named } = said;
        // Replaces the slug with a placeholder, because the problems may differ only in the slug.
        const problem = { ...named, detail: String(named.detail).replace(`“${slug}”`, '“{slug}”') };
        const {
          date: _date,
          'x-request-id': _id,
          'content-length': _length,
          'stele-position': _position,
          ...head
        } = got;
        return { status, head, problem, told: [requestId, instance].length };
      };
      const wrongToken = { 'x-svc-edit-token': strangerToken };
      for (const route of routes) {
        const open = await ask(route, site.slug, {});
        expect(open.status).not.toBe(404);
      }
      await setTo(site.slug, { visibility: 'members' });
      for (const headers of [{}, eve.bearer, wrongToken, { ...eve.bearer, 'if-match': '"1"' }]) {
        for (const route of routes) {
          const hidden = await ask(route, site.slug, headers);
          expect([route[1]('…'), hidden.status, hidden.problem.code]).toEqual([route[1]('…'), 404, 'site_not_found']);
          expect(hidden).toEqual(await ask(route, `no-${site.slug}`.slice(0, 48), headers));
        }
      }
      // The role is checked before the body.
      for (const route of ['rollback', 'access'])
        await stele.api.post(`/v1/sites/${site.slug}/${route}`).set(eve.bearer).send({ no: 1 }).expect(404);
      await stele.api.get(`/v1/sites/${site.slug}/history?limit=x`).expect(404);
      for (const route of routes.slice(0, 6)) expect((await ask(route, site.slug, ann.bearer)).status).toBe(200);

      const taken = await stele.api.post(`/v1/deploy?slug=${site.slug}`).type('html').send('x').expect(409);
      expect(taken.body).toEqual(code('slug_taken'));
      const { body } = await stele.api.post('/v1/cli/preflight').send({ slug: site.slug, files: [] }).expect(200);
      expect(body.problems).toContainEqual(code('slug_taken'));
    }, 180_000);
  });
});
