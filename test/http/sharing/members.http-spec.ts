import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

type Person = Awaited<ReturnType<typeof signIn>>;
type Role = 'owner' | 'editor' | 'viewer';

describe('Site members', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let ann: Person;
  let people = 0;
  let slug: string;

  beforeAll(async () => {
    const folder = await temporaryFolder('members');
    remove = folder.remove;
    stele = await startStele({ folder: folder.folder });
    ann = await signIn(stele, 'ann@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });
  beforeEach(async () => {
    slug = await deployAs(ann);
  });

  const code = (of: string) => expect.objectContaining({ code: of });
  const somebody = () => `person-${++people}@example.org`;
  const deployAs = async ({ bearer }: Person): Promise<string> =>
    (await stele.api.post('/v1/deploy').set(bearer).type('html').send('<h1>Ours</h1>').expect(200)).body.slug;
  const at = (path: string) => `/v1/sites/${slug}${path}`;
  const invite = (email: string, role: Role = 'editor', by = ann) =>
    stele.api.post(at('/invites')).set(by.bearer).send({ email, role });
  const invites = async (by = ann) => (await stele.api.get(at('/invites')).set(by.bearer).expect(200)).body;
  const members = async (by = ann) => (await stele.api.get(at('/members')).set(by.bearer).expect(200)).body;
  const pathOf = async (email: string) => (await newestMail(stele, email)).path;
  const redeploy = ({ bearer }: Person) =>
    stele.api.patch(`/v1/deploy?slug=${slug}`).set(bearer).type('html').send(`<h1>${people}</h1>`);

  async function joined(role: Role) {
    const email = somebody();
    await invite(email, role).expect(201);
    const { body } = await stele.api.get(await pathOf(email)).expect(200);
    const { token, user, memberId } = body as { token: string; user: Person['user']; memberId: string };
    return { token, user, memberId, email, bearer: { authorization: `Bearer ${token}` } };
  }
  const idOf = async ({ user }: Person): Promise<string> =>
    (await members()).items.find(({ userId }: { userId: string }) => userId === user.id)?.id;
  const told = async (type: string) => {
    const { body } = await stele.api.get(`/v1/sites/${slug}`).expect(200);
    const stream = `site-${body.id}`;
    return (await stele.log()).filter((event) => event.stream === stream && event.type === type);
  };

  describe('invites', () => {
    it('the link in the invite makes the recipient a member, signs them in, and adds the site to their list', async () => {
      const { body, headers } = await invite('Bob@Example.org').expect(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
        email: 'bob@example.org',
        role: 'editor',
        invitedBy: ann.user.id,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      });
      expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 86_400_000);
      expect(headers['stele-revision']).toBe('4');
      expect(headers['set-cookie']).toBeUndefined();
      expect(await invites()).toEqual({ items: [body], page: 1, limit: 20, total: 1 });
      await stele.api.head(at('/invites')).set(ann.bearer).expect(200);

      const mail = await newestMail(stele, 'bob@example.org');
      expect(mail.text).toContain('ann@example.org invited you');
      expect(mail.text).toContain(slug);
      expect(mail.path).not.toContain('bob');
      const answer = await stele.api.get(mail.path).expect(200);
      expect(answer.body).toEqual({
        slug,
        memberId: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
        role: 'editor',
        user: expect.objectContaining({ email: 'bob@example.org' }),
        joinedAt: expect.any(String),
        token: expect.stringMatching(/^stele_session_/),
      });
      const bob = { ...answer.body, bearer: { authorization: `Bearer ${answer.body.token}` } };
      const mine = await stele.api.get('/v1/me/sites').set(bob.bearer).expect(200);
      expect(mine.body.items).toMatchObject([{ slug, role: 'editor' }]);
      expect((await stele.api.get('/v1/me').set(bob.bearer).expect(200)).body.sites).toBe(1);
      await redeploy(bob).expect(200);
      expect(await invites()).toMatchObject({ items: [], total: 0 });
      expect((await stele.api.get(mail.path).expect(400)).body).toEqual(code('invalid_token'));
    });

    it('opening the link shows who sent the invite, for which site and with which role, and consumes nothing', async () => {
      const email = somebody();
      await invite(email, 'viewer').expect(201);
      const path = await pathOf(email);
      await stele.raw.head(path).expect(200);
      await stele.raw.get(path).set('sec-purpose', 'prefetch').expect(200);
      const page = await stele.raw
        .get(path)
        .set({ accept: HTML, ...ann.bearer })
        .expect(200);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.headers['cache-control']).toBe('no-store');
      expect(page.text).not.toContain('<script');
      for (const shown of ['ann@example.org</strong> invited', slug, '<strong>viewer', `Join as ${email}`]) {
        expect(page.text).toContain(shown);
      }
      expect(page.text).toContain(`currently signed in as ann@example.org. This invite is for ${email}`);
      expect(await invites()).toMatchObject({ total: 1 });

      const token = new URL(path, stele.base).searchParams.get('token');
      const press = () => stele.raw.post('/v1/invites/accept').type('form').set('accept', HTML).send({ token });
      await press().set('origin', 'https://evil.example').expect(403);
      const arrived = await press().set('origin', stele.base).expect(303);
      expect(arrived.headers.location).toBe('/sites');
      expect(String(arrived.headers['set-cookie'])).toContain('stele_session=');
      const late = await stele.raw.get(path).set('accept', HTML).expect(400);
      expect(late.headers['content-type']).toContain('text/html');
    });

    it('the invited user joins, even if somebody else was signed in when the link was opened', async () => {
      const email = somebody();
      const eve = await signIn(stele, somebody());
      await invite(email).expect(201);
      const { body } = await stele.api
        .get(await pathOf(email))
        .set(eve.bearer)
        .expect(200);
      expect(body.user.email).toBe(email);
      expect((await redeploy(eve).expect(403)).body).toEqual(code('forbidden'));
      await stele.api.get('/v1/me').set(eve.bearer).expect(200);
    });

    it('opening the link fifty times concurrently creates a single member', async () => {
      const email = somebody();
      await invite(email).expect(201);
      const path = await pathOf(email);
      const answers = await Promise.all(Array.from({ length: 50 }, () => stele.api.get(path)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
      expect(others.filter((code) => code !== 'invalid_token' && code !== 'conflict')).toEqual([]);
      expect((await told('MemberAdded')).length).toBe(2);
      expect(await members()).toMatchObject({ total: 2 });
    });

    it('a second invite to an address has its own link and role, and invalidates the earlier link', async () => {
      const email = somebody();
      await invite(email, 'viewer').expect(201);
      const older = await pathOf(email);
      const { body: newer } = await invite(email.toUpperCase(), 'editor').expect(201);
      expect((await invites()).items).toEqual([newer]);
      expect((await stele.api.get(older).expect(400)).body).toEqual(code('invalid_token'));
      expect((await stele.api.get(await pathOf(email)).expect(200)).body).toMatchObject({ role: 'editor' });
    });

    it('ten concurrent invites to the same address leave a single open invite', async () => {
      const email = somebody();
      await Promise.all(Array.from({ length: 10 }, () => invite(email).expect(201)));
      expect(await invites()).toMatchObject({ total: 1 });
    });

    it('inviting an existing member is refused with an error that names the member', async () => {
      const bob = await joined('viewer');
      const { body } = await invite(bob.email).expect(409);
      expect(body).toMatchObject({
        code: 'already_member',
        errors: [{ path: 'email', message: expect.stringContaining(bob.memberId) }],
      });
    });

    it('revoking an invite invalidates its link', async () => {
      const email = somebody();
      const { body } = await invite(email).expect(201);
      const path = await pathOf(email);
      const revoke = (id = `?id=${body.id}`) => stele.api.delete(at(`/invites${id}`)).set(ann.bearer);
      await revoke().expect(204);
      expect((await stele.api.get(path).expect(400)).body).toEqual(code('invalid_token'));
      expect((await revoke().expect(404)).body).toEqual(code('not_found'));
      expect((await revoke('?id=nothing').expect(404)).body).toEqual(code('not_found'));
      expect((await revoke('').expect(400)).body).toMatchObject({ errors: [{ path: 'id' }] });
      expect(await invites()).toMatchObject({ total: 0 });
    });

    it.each([
      [
        'removed',
        (id: string) =>
          stele.api
            .delete(at(`/members/${id}`))
            .set(ann.bearer)
            .expect(204),
      ],
      [
        'no longer an owner',
        (id: string) =>
          stele.api
            .patch(at(`/members/${id}`))
            .set(ann.bearer)
            .send({ role: 'viewer' })
            .expect(200),
      ],
      ['erased', (_: string, { bearer }: Person) => stele.api.delete('/v1/me').set(bearer).expect(204)],
    ])('an invite link is invalid if the inviter is %s', async (_, end) => {
      const bob = await joined('owner');
      const [ofBob, ofAnn] = [somebody(), somebody()];
      await invite(ofBob, 'owner', bob).expect(201);
      await invite(ofAnn, 'viewer').expect(201);
      const path = await pathOf(ofBob);
      await end(bob.memberId, bob);
      expect((await stele.api.get(path).expect(400)).body).toEqual(code('invalid_token'));
      expect(await invites()).toMatchObject({ total: 1, items: [{ email: ofAnn }] });
      expect(await stele.query(`select 1 from invites where email = '${ofBob}'`)).toEqual([]);
      await stele.api.get(await pathOf(ofAnn)).expect(200);
    });

    it('an invited address is stored only in one table, and deleted once the invite is accepted or declined', async () => {
      const email = somebody();
      await invite(email).expect(201);
      await invite('stays-open@example.org').expect(201);
      await stele.api.get(await pathOf(email)).expect(200);
      const where = (table: string) => stele.query(`select 1 from ${table} x where x::text ilike '%@example.org%'`);
      expect((await stele.log()).filter((event) => JSON.stringify(event).includes('@example.org'))).toEqual([]);
      expect(await where('history')).toEqual([]);
      expect(await where('memberships')).toEqual([]);
      expect(await where('mailed_links')).toEqual([]);
      expect(await stele.query(`select email from invites where email = '${email}'`)).toEqual([]);
    });

    it.each([
      ['a missing address', { role: 'editor' }, 'email'],
      ['an invalid address', { email: 'nobody', role: 'editor' }, 'email'],
      ['a missing role', { email: 'x@example.org' }, 'role'],
      ['an unknown role', { email: 'x@example.org', role: 'admin' }, 'role'],
      ['an unknown field', { email: 'x@example.org', role: 'editor', admin: true }, 'admin'],
    ])('an invite with %s is refused, and the response explains why', async (_, body, path) => {
      const answer = await stele.api.post(at('/invites')).set(ann.bearer).send(body).expect(400);
      expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
    });

    it.each(['', 'x', 'eyJhbGciOiJub25lIn0.e30.', `${'a'.repeat(2_000)}`])(
      'a link with an invalid token is refused: %s',
      async (token) => {
        const { body } = await stele.api.get(`/v1/invites/accept?token=${token}`).expect(400);
        expect(body).toEqual(code('invalid_token'));
      },
    );

    it('a link of another kind can’t be used to accept an invite', async () => {
      await stele.api.post('/v1/auth/start').send({ email: 'ann@example.org' }).expect(200);
      const { search } = new URL(await pathOf('ann@example.org'), stele.base);
      expect((await stele.api.get(`/v1/invites/accept${search}`).expect(400)).body).toEqual(code('invalid_token'));
      await stele.api.get(`/v1/auth/verify${search}`).expect(200);
    });
  });

  describe('member list', () => {
    it('every member can see the list, but only owners see the addresses of others', async () => {
      const bob = await joined('viewer');
      const list = await members();
      expect(list).toMatchObject({ page: 1, limit: 20, total: 2 });
      expect(list.items).toEqual([
        {
          id: expect.stringMatching(/^mem_/),
          userId: ann.user.id,
          name: null,
          email: 'ann@example.org',
          role: 'owner',
          since: expect.any(String),
        },
        expect.objectContaining({ id: bob.memberId, userId: bob.user.id, email: bob.email, role: 'viewer' }),
      ]);
      expect((await members(bob)).items.map(({ email }: { email: string | null }) => email)).toEqual([null, bob.email]);
      const second = await stele.api.get(at('/members?page=2&limit=1')).set(ann.bearer).expect(200);
      expect(second.body.items).toMatchObject([{ id: bob.memberId }]);
    });

    it('in the history, only owners see the address of an open invite', async () => {
      const summaries = async (as: typeof ann.bearer) => {
        const { body } = await stele.api.get(at('/history')).set(as).expect(200);
        return body.items.map(({ summary }: { summary: string }) => summary);
      };
      const carl = await joined('viewer');
      await invite('dora@example.org', 'owner').expect(201);
      const seenByAnn = await summaries(ann.bearer);
      expect(seenByAnn).toEqual([
        'Invited dora@example.org as owner',
        `${carl.email} joined as viewer`,
        `Invited ${carl.email} as viewer`,
        ...seenByAnn.slice(3),
      ]);
      expect((await summaries(carl.bearer)).slice(0, 3)).toEqual([
        'Invited someone as owner',
        `${carl.email} joined as viewer`,
        'Invited someone as viewer',
      ]);
      const [open] = (await invites()).items;
      await stele.api
        .delete(at(`/invites?id=${open.id}`))
        .set(ann.bearer)
        .expect(204);
      expect((await summaries(ann.bearer)).slice(0, 2)).toEqual(['Revoked the invite', 'Invited someone as owner']);
    });

    it('the history and deploys show a member’s name; if there is none, owners see an address, others “a member”', async () => {
      const bob = await joined('editor');
      const named = await stele.api.patch('/v1/me').set(bob.bearer).send({ name: ' Bob B. ' }).expect(200);
      expect(named.body).toMatchObject({ id: bob.user.id, name: 'Bob B.' });
      await redeploy(bob).expect(200);
      const history = await stele.api.get(at('/history?limit=1')).set(ann.bearer).expect(200);
      expect(history.body.items).toMatchObject([{ actor: { kind: 'user', id: bob.user.id, name: 'Bob B.' } }]);
      const actors = async (as: typeof ann.bearer) => {
        const { body } = await stele.api.get(at('/deploys')).set(as).expect(200);
        return body.items.map(({ actor }: { actor: object }) => actor);
      };
      const [his, hers] = [
        { kind: 'user', id: bob.user.id },
        { kind: 'user', id: ann.user.id },
      ];
      expect(await actors(ann.bearer)).toEqual([
        { ...his, name: 'Bob B.' },
        { ...hers, name: 'ann@example.org' },
      ]);
      expect(await actors(bob.bearer)).toEqual([
        { ...his, name: 'Bob B.' },
        { ...hers, name: 'a member' },
      ]);
      await stele.api.patch('/v1/me').set(bob.bearer).send({ name: null }).expect(200);
      expect((await actors(bob.bearer))[0]).toEqual({ ...his, name: bob.email });
      expect((await actors(ann.bearer))[0]).toEqual({ ...his, name: bob.email });
      for (const name of ['', '  ', 'a\nb', 'x'.repeat(101), 7])
        await stele.api.patch('/v1/me').set(bob.bearer).send({ name }).expect(400);
    });
  });

  describe('roles', () => {
    it('a changed role takes effect in the next request', async () => {
      const bob = await joined('viewer');
      await redeploy(bob).expect(403);
      const change = (role: string) =>
        stele.api
          .patch(at(`/members/${bob.memberId}`))
          .set(ann.bearer)
          .send({ role });
      const { body } = await change('editor').expect(200);
      expect(body).toMatchObject({ id: bob.memberId, userId: bob.user.id, email: bob.email, role: 'editor' });
      await redeploy(bob).expect(200);
      await change('editor').expect(200);
      expect(await told('MemberRoleChanged')).toHaveLength(1);
      const mine = await stele.api.get('/v1/me/sites').set(bob.bearer).expect(200);
      expect(mine.body.items).toMatchObject([{ slug, role: 'editor' }]);
      expect((await change('admin').expect(400)).body).toMatchObject({ errors: [{ path: 'role' }] });
    });
  });

  describe('removal', () => {
    it('removed members lose all access, keep their sessions, and no longer see the site in their list', async () => {
      const bob = await joined('editor');
      await stele.api
        .delete(at(`/members/${bob.memberId}`))
        .set(ann.bearer)
        .expect(204);
      expect((await redeploy(bob).expect(403)).body).toEqual(code('forbidden'));
      expect((await stele.api.get(at('/history')).set(bob.bearer).expect(403)).body).toEqual(code('forbidden'));
      expect((await stele.api.get('/v1/me/sites').set(bob.bearer).expect(200)).body.items).toEqual([]);
      await stele.api
        .delete(at(`/members/${bob.memberId}`))
        .set(ann.bearer)
        .expect(404);
      await invite(bob.email, 'viewer').expect(201);
      const again = await stele.api.get(await pathOf(bob.email)).expect(200);
      expect(again.body.memberId).not.toBe(bob.memberId);
    });

    it('members can remove themselves', async () => {
      const bob = await joined('viewer');
      const [annId = ''] = [await idOf(ann)];
      expect(
        (
          await stele.api
            .delete(at(`/members/${annId}`))
            .set(bob.bearer)
            .expect(403)
        ).body,
      ).toEqual(code('forbidden'));
      await stele.api
        .delete(at(`/members/${bob.memberId}`))
        .set(bob.bearer)
        .expect(204);
      expect(await members()).toMatchObject({ total: 1 });
    });

    it('the last owner can’t be removed', async () => {
      const id = await idOf(ann);
      const demote = () =>
        stele.api
          .patch(at(`/members/${id}`))
          .set(ann.bearer)
          .send({ role: 'viewer' });
      expect((await demote().expect(409)).body).toEqual(code('last_owner'));
      expect(
        (
          await stele.api
            .delete(at(`/members/${id}`))
            .set(ann.bearer)
            .expect(409)
        ).body,
      ).toEqual(code('last_owner'));
      await joined('owner');
      await demote().expect(200);
      await demote().expect(403);
    });

    it('the last owner can’t be removed, even by fifty concurrent requests', async () => {
      const bob = await joined('owner');
      const annId = await idOf(ann);
      const tries = Array.from({ length: 50 }, (_, n) => {
        const [who, id] = n % 2 ? [bob, bob.memberId] : [ann, annId];
        return n % 4 < 2
          ? stele.api.delete(at(`/members/${id}`)).set(who.bearer)
          : stele.api
              .patch(at(`/members/${id}`))
              .set(who.bearer)
              .send({ role: 'viewer' });
      });
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(new Set(statuses).isSubsetOf(new Set([200, 204, 403, 404, 409]))).toBe(true);
      expect(statuses).toContain(409);
      const site = await stele.api.get(`/v1/sites/${slug}`).expect(200);
      const owners = `select 1 from memberships where site_id = '${site.body.id}' and role = 'owner'`;
      expect(await stele.query(owners)).toHaveLength(1);
    });
  });

  describe('permissions', () => {
    const asks = (who: { set?: Record<string, string> }) => {
      const { set = {} } = who;
      return [
        stele.api.post(at('/invites')).set(set).send({ email: 'x@example.org', role: 'viewer' }),
        stele.api.get(at('/invites')).set(set),
        stele.api.delete(at('/invites?id=inv_x')).set(set),
        stele.api.patch(at('/members/mem_x')).set(set).send({ role: 'viewer' }),
        stele.api.delete(at('/members/mem_x')).set(set),
      ];
    };
    const codes = async (set?: Record<string, string>) =>
      (await Promise.all(asks(set ? { set } : {}))).map(({ body }) => body.code);

    it('anonymous callers, strangers, viewers, editors and owners of other sites can’t manage members', async () => {
      expect(await codes()).toEqual(Array(5).fill('unauthenticated'));
      for (const other of [await joined('viewer'), await joined('editor'), await signIn(stele, somebody())]) {
        expect(await codes(other.bearer)).toEqual(Array(5).fill('forbidden'));
      }
      expect(await codes({ 'x-svc-edit-token': strangerToken })).toEqual(Array(5).fill('edit_token_invalid'));
      slug = 'no-such-site';
      expect(await codes(ann.bearer)).toEqual(Array(5).fill('site_not_found'));
    });

    it('an edit token can’t manage members: the site must be claimed first', async () => {
      const { body } = await stele.api.post('/v1/deploy').type('html').send('<h1>Nobody’s</h1>').expect(200);
      slug = body.slug;
      expect(await codes({ 'x-svc-edit-token': body.editToken })).toEqual(Array(5).fill('forbidden'));
      const list = await stele.api.get(at('/members')).set('x-svc-edit-token', body.editToken).expect(200);
      expect(list.body.items).toEqual([]);
    });

    it('owners can manage members only on their own site; a member ID of another site is not found', async () => {
      const bob = await joined('viewer');
      const email = somebody();
      const { body } = await invite(email).expect(201);
      slug = await deployAs(ann);
      expect(
        (
          await stele.api
            .delete(at(`/members/${bob.memberId}`))
            .set(ann.bearer)
            .expect(404)
        ).body,
      ).toEqual(code('not_found'));
      await stele.api
        .delete(at(`/invites?id=${body.id}`))
        .set(ann.bearer)
        .expect(404);
      await stele.api.get(await pathOf(email)).expect(200);
    });
  });
});

describe('Members with rate limits', () => {
  it('an address can be invited five times a day, across all inviters and sites', async () => {
    const folder = await temporaryFolder('invite-rates');
    const stele = await startStele({ folder: folder.folder, env: { STELE_RATE_LIMITS: 'on' } });
    try {
      const owners = [await signIn(stele, 'one@example.org'), await signIn(stele, 'two@example.org')];
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++) {
        const { bearer } = owners[n % 2] ?? {};
        const site = await stele.api
          .post('/v1/deploy')
          .set(bearer ?? {})
          .type('html')
          .send('page')
          .expect(200);
        const asked = stele.api.post(`/v1/sites/${site.body.slug}/invites`).set(bearer ?? {});
        const answer = await asked.send({ email: 'flooded@example.org', role: 'viewer' });
        statuses.push(answer.status);
        if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_600);
        else expect(answer.headers['ratelimit-policy']).toBe('"invites";q=30;w=3600');
      }
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    } finally {
      await stele.stop();
      await folder.remove();
    }
  }, 180_000);
});

describe('Invites when mail can’t be sent', () => {
  it('an invite that can’t be mailed is not recorded, and its address is not stored', async () => {
    const { folder, remove } = await temporaryFolder('invite-mail');
    let stele = await startStele({ folder });
    const ann = await signIn(stele, 'ann@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('page').expect(200);
    await stele.stop();
    stele = await startStele({ folder, env: { SMTP_URL: 'smtp://127.0.0.1:1', STELE_MAIL_FROM: 'stele@example.org' } });
    try {
      const asked = stele.api.post(`/v1/sites/${site.slug}/invites`).set(ann.bearer);
      const { body } = await asked.send({ email: 'bob@example.org', role: 'viewer' }).expect(503);
      expect(body).toMatchObject({ code: 'unavailable', retryable: true });
      for (const table of ['invites', "mailed_links where purpose = 'invite'"]) {
        expect(await stele.query(`select 1 from ${table}`)).toEqual([]);
      }
      expect((await stele.log()).filter(({ type }) => type === 'MemberInvited')).toEqual([]);
    } finally {
      await stele.stop();
      await remove();
    }
  }, 180_000);
});
