import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Bearer = { readonly authorization: string };

describe('Access tokens', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let slug: string;

  const bearer = (token: string): Bearer => ({ authorization: `Bearer ${token}` });
  const made = async (path: string, body: object, as: Bearer = ann.bearer) =>
    (await stele.api.post(path).set(as).send(body).expect(201)).body as { id: string; token: string; name: string };
  const ofSite = (body: object = {}, as?: Bearer) =>
    made(`/v1/sites/${slug}/tokens`, { name: 'deploy from main', role: 'editor', ...body }, as);
  const ofPerson = (body: object = {}) => made('/v1/me/tokens', { name: 'laptop', role: 'editor', ...body });
  const deploy = (as: Bearer, query = `?slug=${slug}`) =>
    stele.api.post(`/v1/deploy${query}`).set(as).type('html').send(`<h1>${Math.random()}</h1>`);
  const redeploy = (as: Bearer) => stele.api.patch(`/v1/deploy?slug=${slug}`).set(as).type('html').send('<h1>b</h1>');
  const history = async (as: Bearer = ann.bearer) =>
    (await stele.api.get(`/v1/sites/${slug}/history`).set(as).expect(200)).body.items as {
      type: string;
      summary: string;
      actor: Record<string, string>;
    }[];
  const join = async (email: string, role: string) => {
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { path } = await newestMail(stele, email);
    const { body } = await stele.api.get(path).expect(200);
    return { bearer: bearer(body.token), user: body.user as { id: string } };
  };
  const memberId = async (userId: string) => {
    const { body } = await stele.api.get(`/v1/sites/${slug}/members`).set(ann.bearer).expect(200);
    return body.items.find((member: { userId: string }) => member.userId === userId).id as string;
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('tokens');
    stele = await sharedStele({ folder: temporary.folder });
    ann = await signIn(stele, 'ann@tokens.example.org');
  }, 180_000);
  beforeEach(async () => {
    slug = (await deploy(ann.bearer, '').expect(200)).body.slug;
  });
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('a token is shown only once, has a prefix for secret scanners, and is listed with the day it was last used', async () => {
    const expiresAt = '2999-01-01T00:00:00.000Z';
    const token = await ofSite({ expiresAt });
    expect(token).toEqual({
      id: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      name: 'deploy from main',
      role: 'editor',
      createdAt: expect.any(String),
      expiresAt,
      token: expect.stringMatching(/^stele_pat_[0-9A-Za-z]{49}$/),
    });
    const list = async () => (await stele.api.get(`/v1/sites/${slug}/tokens`).set(ann.bearer).expect(200)).body;
    const { token: _, ...listed } = token;
    expect((await list()).items).toEqual([listed]);
    const today = () => `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
    const before = today();
    await redeploy(bearer(token.token)).expect(200);
    expect([before, today()]).toContain((await list()).items[0].lastUsedAt);
    expect(JSON.stringify(await stele.log())).not.toContain('deploy from main');
  });

  it('a token’s name can’t contain line breaks or characters that change the text direction', async () => {
    for (const name of ['\u202eevil', 'two\nlines', '\u2067'])
      for (const path of [`/v1/sites/${slug}/tokens`, '/v1/me/tokens', `/v1/sites/${slug}/connector/tokens`]) {
        const { body } = await stele.api.post(path).set(ann.bearer).send({ name, role: 'editor' }).expect(400);
        expect(body.errors).toContainEqual({ path: 'name', message: expect.stringContaining('must be a single line') });
      }
  });

  it('a token for one site can publish only to that site, and reveals nothing about its creator', async () => {
    const { token } = await ofSite();
    const script = bearer(token);
    await redeploy(script).expect(200);
    await deploy(script).expect(200);
    await stele.api.get(`/v1/sites/${slug}/files`).set(script).expect(200);
    await deploy(script, '').expect(403);
    await deploy(script, `?slug=${slug}-2`).expect(403);
    await stele.api.post('/v1/repo/deploy').set(script).send({ url: 'https://example.org/a.git' }).expect(403);
    const { body: other } = await deploy(ann.bearer, '').expect(200);
    await stele.api.get(`/v1/sites/${other.slug}/files`).set(script).expect(403);
    await stele.api.patch(`/v1/deploy?slug=${other.slug}`).set(script).type('html').send('x').expect(403);
    await stele.api.get('/v1/me').set(script).expect(403);
    const { body: sites } = await stele.api.get('/v1/me/sites').set(script).expect(200);
    expect(sites.items.map((each: { slug: string }) => each.slug)).toEqual([slug]);
    const { body: preflight } = await stele.api.post('/v1/cli/preflight').set(script).send({ slug, files: [] });
    expect(preflight.user).toBeUndefined();
    for (const path of ['members', 'history', 'deploys']) {
      const { body } = await stele.api.get(`/v1/sites/${slug}/${path}`).set(script).expect(200);
      expect(JSON.stringify(body)).not.toContain('ann@tokens.example.org');
    }
  });

  it('a token with the viewer role can read but not change anything', async () => {
    const script = bearer((await ofSite({ role: 'viewer' })).token);
    await stele.api.get(`/v1/sites/${slug}/history`).set(script).expect(200);
    await redeploy(script).expect(403);
    const everywhere = bearer((await ofPerson({ role: 'viewer' })).token);
    await stele.api.get(`/v1/sites/${slug}/history`).set(everywhere).expect(200);
    await redeploy(everywhere).expect(403);
    await deploy(everywhere, '').expect(403);
  });

  it('a personal token works for all sites of its user, including new ones, but never exceeds the user’s rights', async () => {
    const script = bearer((await ofPerson({ role: 'owner' })).token);
    const { body: fresh } = await deploy(script, '').expect(200);
    expect(fresh.editToken).toBeUndefined();
    await stele.api.get(`/v1/sites/${fresh.slug}/members`).set(ann.bearer).expect(200);
    await stele.api.patch(`/v1/sites/${slug}`).set(script).send({ title: 'By a script' }).expect(200);
    await stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(script).send({ value: 'x' }).expect(403);
    await stele.api.delete(`/v1/sites/${slug}/secrets/KEY`).set(script).expect(403);
    expect((await stele.api.get('/v1/me').set(script).expect(200)).body.id).toBe(ann.user.id);

    const bob = await join('bob@tokens.example.org', 'viewer');
    const his = bearer((await made('/v1/me/tokens', { name: 'his', role: 'owner' }, bob.bearer)).token);
    await stele.api.get(`/v1/sites/${slug}/history`).set(his).expect(200);
    await redeploy(his).expect(403);
  });

  it('a token can’t manage tokens, members, sessions or domains, or delete a site', async () => {
    for (const { token } of [await ofPerson({ role: 'owner' }), await ofSite()]) {
      const script = bearer(token);
      const at = `/v1/sites/${slug}`;
      const me = await memberId(ann.user.id);
      const refused = async (request: ReturnType<typeof stele.api.get>) => {
        const { body } = await request.set(script).expect(403);
        expect(body.code).toBe('forbidden');
      };
      await refused(stele.api.get('/v1/me/tokens'));
      await refused(stele.api.post('/v1/me/tokens').send({ name: 'x', role: 'viewer' }));
      await refused(stele.api.delete('/v1/me/tokens/tok_x'));
      await refused(stele.api.get(`${at}/tokens`));
      await refused(stele.api.post(`${at}/tokens`).send({ name: 'x', role: 'viewer' }));
      await refused(stele.api.delete(`${at}/tokens/tok_x`));
      await refused(stele.api.get(`${at}/connector/tokens`));
      await refused(stele.api.post(`${at}/connector/tokens`).send({ name: 'x' }));
      await refused(stele.api.post(`${at}/invites`).send({ email: 'eve@tokens.example.org', role: 'owner' }));
      await refused(stele.api.get(`${at}/invites`));
      await refused(stele.api.patch(`${at}/members/${me}`).send({ role: 'viewer' }));
      await refused(stele.api.delete(`${at}/members/${me}`));
      await refused(stele.api.post(`${at}/rename`).send({ slug: `${slug}-new` }));
      await refused(stele.api.post(`${at}/domains`).send({ hostname: 'example.org' }));
      await refused(stele.api.delete(at));
      await refused(stele.api.get('/v1/me/sessions'));
      await refused(stele.api.delete('/v1/me/sessions/ses_x'));
      await refused(stele.api.post('/v1/auth/logout'));
      await refused(stele.api.get('/v1/me/grants'));
      await refused(stele.api.patch('/v1/me').send({ name: 'x' }));
      await refused(stele.api.delete('/v1/me'));
    }
  });

  it('events contain only a token’s ID, but the history shows the token’s name, even after it was revoked', async () => {
    const token = await ofSite();
    await redeploy(bearer(token.token)).expect(200);
    const [newest] = await history();
    expect(newest).toMatchObject({
      type: 'SiteDeployed',
      actor: { kind: 'user', id: ann.user.id, token: token.id, name: 'CI “deploy from main”' },
    });
    expect(newest?.summary).toMatch(/^Deploy 2: .*, by CI “deploy from main”$/);
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set(ann.bearer).expect(200);
    expect(body.items[0].actor).toEqual({
      kind: 'user',
      id: ann.user.id,
      token: token.id,
      name: 'CI “deploy from main”',
    });
    await stele.api.delete(`/v1/sites/${slug}/tokens/${token.id}`).set(ann.bearer).expect(204);
    const [ended, , issued] = await history();
    expect(ended?.summary).toBe('Access token for CI “deploy from main” revoked');
    expect(issued?.summary).toBe('Access token for CI “deploy from main” created with the role editor');
    const log = await stele.log();
    expect(JSON.stringify(log.findLast(({ type }) => type === 'SiteDeployed')?.actor)).toContain(token.id);
  });

  it('revoking a token does not affect other tokens, and the expiry of a token must be in the future', async () => {
    const [one, two] = [await ofSite(), await ofSite({ name: 'other' })];
    await stele.api.delete(`/v1/sites/${slug}/tokens/${one.id}`).set(ann.bearer).expect(204);
    await stele.api.delete(`/v1/sites/${slug}/tokens/${one.id}`).set(ann.bearer).expect(404);
    await redeploy(bearer(one.token)).expect(401);
    await redeploy(bearer(two.token)).expect(200);
    const mine = await ofPerson();
    await stele.api.delete(`/v1/me/tokens/${mine.id}`).set(ann.bearer).expect(204);
    await stele.api.get('/v1/me').set(bearer(mine.token)).expect(401);
    const { body } = await stele.api
      .post(`/v1/sites/${slug}/tokens`)
      .set(ann.bearer)
      .send({ name: 'x', role: 'editor', expiresAt: '2020-01-01T00:00:00Z' })
      .expect(400);
    expect(body.errors).toEqual([{ path: 'expiresAt', message: 'must be in the future' }]);
  });

  it('a token loses the rights that its creator loses, and is revoked when the creator is removed from the site', async () => {
    const bob = await join('bob@tokens.example.org', 'owner');
    const { token } = await ofSite({ name: 'bob’s' }, bob.bearer);
    await redeploy(bearer(token)).expect(200);
    const id = await memberId(bob.user.id);
    await stele.api.patch(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).send({ role: 'viewer' }).expect(200);
    await redeploy(bearer(token)).expect(403);
    await stele.api.get(`/v1/sites/${slug}/files`).set(bearer(token)).expect(200);
    await stele.api.delete(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).expect(204);
    await stele.api.get(`/v1/sites/${slug}/files`).set(bearer(token)).expect(401);
    await join('bob@tokens.example.org', 'owner');
    await stele.api.get(`/v1/sites/${slug}/files`).set(bearer(token)).expect(401);
    expect((await history()).map(({ type }) => type)).toContain('AccessTokenRevoked');
  });

  it('deleting a site revokes its tokens', async () => {
    const { token } = await ofSite();
    await stele.api.delete(`/v1/sites/${slug}`).set(ann.bearer).expect(204);
    await stele.api.get('/v1/me/sites').set(bearer(token)).expect(401);
  });

  it('erasing a user also erases their tokens and every name and address recorded for them', async () => {
    const dora = await join('dora@tokens.example.org', 'owner');
    await stele.api.patch('/v1/me').set(dora.bearer).send({ name: 'Dora D.' }).expect(200);
    const [site, all] = [
      await ofSite({ name: 'dora’s script' }, dora.bearer),
      await made('/v1/me/tokens', { name: 'dora’s laptop', role: 'editor' }, dora.bearer),
    ];
    await redeploy(bearer(site.token)).expect(200);
    expect((await history())[0]?.actor.name).toBe('CI “dora’s script”');
    await stele.api.delete('/v1/me').set(dora.bearer).expect(204);
    for (const { token } of [site, all]) await redeploy(bearer(token)).expect(401);
    const items = await history();
    expect(items.find(({ type }) => type === 'SiteDeployed')?.actor).toEqual({
      kind: 'user',
      id: dora.user.id,
      token: site.id,
      name: 'a former member',
    });
    const everywhere = JSON.stringify([items, await stele.log()]);
    for (const word of ['dora@tokens.example.org', 'Dora D.', 'dora’s']) expect(everywhere).not.toContain(word);
    for (const { name } of await stele.query(`select tablename as name from pg_tables where schemaname = 'public'`)) {
      const [row] = await stele.query(`select count(*)::int as n from "${name}" t where t::text ilike '%dora%'`);
      expect([name, row?.n]).toEqual([name, 0]);
    }
  });

  it('revoking a token also revokes the uploads that were prepared with it', async () => {
    const mine = await ofPerson();
    const { body } = await stele.api.post(`/v1/deploy/prepared?slug=${slug}`).set(bearer(mine.token)).expect(201);
    const { pathname, search } = new URL(body.uploadUrl);
    const ofOne = await ofSite();
    const { body: other } = await stele.api.post(`/v1/deploy/prepared?slug=${slug}`).set(bearer(ofOne.token));
    const good = new URL(other.uploadUrl);
    await stele.api
      .put(good.pathname + good.search)
      .type('html')
      .send('<h1>c</h1>')
      .expect(200);
    await stele.api.delete(`/v1/me/tokens/${mine.id}`).set(ann.bearer).expect(204);
    await stele.api
      .put(pathname + search)
      .type('html')
      .send('<h1>d</h1>')
      .expect(400);
  });

  it('when an edit token is refused after a claim, the error suggests an access token', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('<h1>x</h1>').expect(200);
    const claim = { slug: site.slug, editToken: site.editToken };
    await stele.api.post('/v1/claim/session').set(ann.bearer).send(claim).expect(200);
    const edit = { 'x-svc-edit-token': site.editToken as string };
    for (const request of [
      stele.api.patch(`/v1/deploy?slug=${site.slug}`).type('html').send('x'),
      stele.api.get(`/v1/sites/${site.slug}/history`),
    ]) {
      const { body } = await request.set(edit).expect(403);
      expect(body).toMatchObject({ code: 'edit_token_invalid' });
      expect(body.detail).toContain('has been claimed');
      expect(body.suggestion).toContain('/tokens');
    }
  });

  it('users can manage their tokens on a web page', async () => {
    const cookie = { cookie: `stele_session=${ann.token}`, accept: 'text/html' };
    const own = { ...cookie, origin: stele.base, 'sec-fetch-site': 'same-origin' };
    const { text: form } = await stele.raw.get('/tokens').set(cookie).expect(200);
    expect(form).toContain('Create token');
    const { text } = await stele.raw.post('/tokens').set(own).type('form').send({ name: 'my <b>', role: 'editor' });
    const token = /stele_pat_\w{49}/.exec(text)?.[0] ?? '';
    expect(text).toContain('my &lt;b&gt;');
    await redeploy(bearer(token)).expect(200);
    const { text: list } = await stele.raw.get('/tokens').set(cookie).expect(200);
    expect(list).not.toContain(token);
    const id = /\/tokens\/(tok_\w+)\/end/.exec(list)?.[1] ?? '';
    await stele.raw.post(`/tokens/${id}/end`).set(own).expect(303);
    await redeploy(bearer(token)).expect(401);
    await stele.raw.get('/tokens').set('accept', 'text/html').expect(303);
    await stele.raw
      .get('/tokens')
      .set({ ...bearer(token), accept: 'text/html' })
      .expect(401);
  });
});
