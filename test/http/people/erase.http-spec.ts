import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemberAdded } from '../../../src/events/site/member.events.js';
import { appendDirectly } from '../../support/eventstore/direct-append.js';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { verify } from '../../support/sites/audit-verifier.js';

describe('Deleting an account', () => {
  let stele: Stele;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    temporary = await temporaryFolder('erase');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  type Person = Awaited<ReturnType<typeof signIn>>;
  type Site = { readonly slug: string; readonly siteId: string };

  const erase = ({ bearer }: Person) => stele.api.delete('/v1/me').set(bearer);
  const siteOf = async ({ bearer }: Person, html = '<h1>x</h1>'): Promise<Site> => {
    const made = await stele.api.post('/v1/deploy').set(bearer).type('html').send(html).expect(200);
    const { body } = await stele.api.get(`/v1/sites/${made.body.slug}`).expect(200);
    return { slug: body.slug, siteId: body.id };
  };
  let members = 0;
  const joined = ({ siteId }: Site, { user }: Person, role: 'owner' | 'editor' | 'viewer') =>
    appendDirectly(
      stele,
      siteId,
      MemberAdded({ memberId: `mem_test${members++}`, userId: user.id, role, inviteId: null }),
    );
  const typesOf = async ({ siteId }: Site) =>
    (await stele.log()).filter(({ stream }) => stream === `site-${siteId}`).map(({ type }) => type);
  /** Returns the tables that contain this text, except those of the log. */
  const rowsWith = async (text: string) => {
    const tables = await stele.query(`select tablename as name from pg_tables where schemaname = 'public'`);
    const found: string[] = [];
    for (const { name } of tables) {
      const [row] = await stele.query(`select count(*)::int as n from "${name}" t where t::text ilike '%${text}%'`);
      if (Number(row?.n) > 0) found.push(String(name));
    }
    return found.toSorted();
  };

  it('the user’s data disappears everywhere immediately, and signing up again creates a new user', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    const other = await signIn(stele, 'ann@example.org');
    await stele.api.post('/v1/waitlist').send({ email: 'Ann@example.org', note: 'please' }).expect(200);
    await stele.api.post('/v1/auth/start').send({ email: 'ann@example.org' }).expect(200);
    const waiting = await newestMail(stele, 'ann@example.org');
    const host = await signIn(stele, 'host@example.org');
    const { slug } = await siteOf(host);
    const invite = { email: 'ann@example.org', role: 'viewer' };
    await stele.api.post(`/v1/sites/${slug}/invites`).set(host.bearer).send(invite).expect(201);
    const invited = await newestMail(stele, 'ann@example.org');
    expect(await rowsWith('ann@example.org')).toEqual(['invites', 'people', 'waitlist']);

    await erase(ann).expect(204);
    for (const { bearer } of [ann, other]) await stele.api.get('/v1/me').set(bearer).expect(401);
    expect((await stele.api.get(waiting.path).expect(400)).body.code).toBe('invalid_token');
    expect((await stele.api.get(invited.path).expect(400)).body.code).toBe('invalid_token');
    const typed = { email: 'ann@example.org', code: waiting.code };
    expect((await stele.api.post('/v1/auth/code').send(typed).expect(400)).body.code).toBe('invalid_token');
    expect(await rowsWith('ann@example.org')).toEqual([]);
    expect(await stele.query(`select * from sessions where user_id = '${ann.user.id}'`)).toEqual([]);
    expect((await erase(ann).expect(401)).body.code).toBe('unauthenticated');

    const again = await signIn(stele, 'ann@example.org');
    expect(again.user.id).not.toBe(ann.user.id);
  });

  it('if sites would be left without an owner, the response lists them and nothing is deleted', async () => {
    const bob = await signIn(stele, 'bob@example.org');
    const carl = await signIn(stele, 'carl@example.org');
    const [one, two, shared] = [await siteOf(bob), await siteOf(bob), await siteOf(bob)];
    await joined(shared, carl, 'owner');
    await joined(two, carl, 'editor');
    const { body } = await erase(bob).expect(409);
    expect(body).toMatchObject({
      code: 'last_owner',
      errors: [one.slug, two.slug].toSorted().map((message) => ({ path: 'sites', message })),
    });
    await stele.api.get('/v1/me').set(bob.bearer).expect(200);
    const mine = await stele.api.get('/v1/me/sites').set(bob.bearer).expect(200);
    expect(mine.body.total).toBe(3);
  });

  it('the user can choose to delete the sites that would be left without an owner', async () => {
    const mia = await signIn(stele, 'mia@example.org');
    const ned = await signIn(stele, 'ned@example.org');
    const [own, shared] = [await siteOf(mia), await siteOf(mia)];
    await joined(own, ned, 'editor');
    await joined(shared, ned, 'owner');
    expect((await stele.api.delete('/v1/me?sites=keep').set(mia.bearer).expect(400)).body.code).toBe('invalid_request');
    await erase(mia).expect(409);
    await stele.api.delete('/v1/me?sites=delete').set(mia.bearer).expect(204);
    expect((await typesOf(own)).at(-1)).toBe('SiteDeleted');
    expect((await typesOf(shared)).at(-1)).toBe('MemberRemoved');
    const edit = ({ slug }: Site) =>
      stele.api.patch(`/v1/deploy?slug=${slug}`).set(ned.bearer).type('html').send('<h1>y</h1>');
    await edit(own).expect(404);
    await edit(shared).expect(200);
    expect(await rowsWith('mia@example.org')).toEqual([]);
  });

  it('sites with other owners remain, and their history stays complete and readable', async () => {
    const dora = await signIn(stele, 'dora@example.org');
    const emma = await signIn(stele, 'emma@example.org');
    const [shared, foreign] = [await siteOf(dora), await siteOf(emma)];
    await joined(shared, emma, 'owner');
    await joined(foreign, dora, 'viewer');
    await joined(foreign, await signIn(stele, 'eva@example.org'), 'viewer');
    await erase(dora).expect(204);

    for (const { slug } of [shared, foreign]) {
      const history = () => stele.api.get(`/v1/sites/${slug}/history`).set(emma.bearer);
      const { body } = await history().expect(200);
      expect(body.items[0]).toMatchObject({
        type: 'MemberRemoved',
        summary: 'A former member left',
        actor: { kind: 'user', id: dora.user.id },
      });
      const summaries = body.items.map(({ summary }: { summary: string }) => summary).join('\n');
      expect(summaries).not.toContain(dora.user.id);
      expect(summaries).toMatch(/^(emma|eva)@example\.org joined as (owner|viewer)$/m);
      const lines = await history().set('accept', 'application/x-ndjson').buffer(true).expect(200);
      const file = join(temporary.folder, `${slug}.ndjson`);
      await writeFile(file, lines.text ?? String(lines.body));
      expect(await verify(file)).toMatchObject({ code: 0 });
    }
    const deploys = await stele.api.get(`/v1/sites/${shared.slug}/deploys`).set(emma.bearer).expect(200);
    expect(deploys.body.items[0].actor).toEqual({ kind: 'user', id: dora.user.id, name: 'a former member' });
    await stele.visit(shared.slug).expect(200, '<h1>x</h1>');
  });

  it('if the two owners of a site delete their accounts at the same time, one of the deletions is refused', async () => {
    const finn = await signIn(stele, 'finn@example.org');
    const gina = await signIn(stele, 'gina@example.org');
    const site = await siteOf(finn);
    await joined(site, gina, 'owner');
    const answers = await Promise.all([erase(finn), erase(gina)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    const left = answers[0]?.status === 409 ? finn : gina;
    const { body } = await stele.api.get('/v1/me/sites').set(left.bearer).expect(200);
    expect(body.items).toMatchObject([{ slug: site.slug, role: 'owner' }]);
    expect(await stele.query('select user_id from people where going is not null')).toEqual([]);
  });

  it('responses stored for the user’s idempotent retries are deleted', async () => {
    const hugo = await signIn(stele, 'hugo@example.org');
    const key = { 'idempotency-key': 'hugo-tries-once' };
    const emma = await signIn(stele, 'emma2@example.org');
    const { body } = await stele.api.post('/v1/deploy').set(hugo.bearer).set(key).type('html').send('x').expect(200);
    const site = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    await joined({ slug: body.slug, siteId: site.body.id }, emma, 'owner');
    const kept = `select count(*)::int as n from idempotency where user_id = '${hugo.user.id}'`;
    expect(await stele.query(kept)).toEqual([{ n: 1 }]);
    await erase(hugo).expect(204);
    expect(await stele.query(kept)).toEqual([{ n: 0 }]);
  });

  it('an upload that finishes after the account was deleted publishes nothing', async () => {
    const lea = await signIn(stele, 'lea@example.org');
    const upload = request({
      port: stele.port,
      method: 'POST',
      path: '/v1/deploy',
      headers: { ...lea.bearer, host: `localhost:${stele.port}`, 'content-type': 'text/html', expect: '100-continue' },
    });
    upload.flushHeaders();
    await once(upload, 'continue');
    upload.write('<h1>');
    await erase(lea).expect(204);
    upload.end('late</h1>');
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    answer.resume();
    expect(await stele.query(`select 1 from memberships where user_id = '${lea.user.id}'`)).toEqual([]);
  });

  it('a page of another origin can’t delete an account', async () => {
    const { token, bearer } = await signIn(stele, 'ida@example.org');
    const cookie = `stele_session=${token}`;
    const forged = await stele.api.delete('/v1/me').set({ cookie, 'sec-fetch-site': 'cross-site' }).expect(403);
    expect(forged.body.code).toBe('cross_origin');
    await stele.api.get('/v1/me').set(bearer).expect(200);
    const own = await stele.api.delete('/v1/me').set({ cookie, 'sec-fetch-site': 'same-origin' }).expect(204);
    expect(String(own.headers['set-cookie'])).toMatch(/^stele_session=; Max-Age=0/);
  });

  it('an interrupted deletion is completed at the next start', async () => {
    const jon = await signIn(stele, 'jon@example.org');
    const kim = await signIn(stele, 'kim@example.org');
    const lou = await signIn(stele, 'lou@example.org');
    const [site, lous] = [await siteOf(kim), await siteOf(lou)];
    await joined(site, jon, 'editor');
    await stele.query(`update people set going = 'alone' where user_id = '${jon.user.id}'`);
    await stele.query(`update people set going = 'with-sites' where user_id = '${lou.user.id}'`);
    await stele.stop('SIGKILL');
    stele = await startStele({ folder: temporary.folder });
    await stele.api.get('/v1/me').set(jon.bearer).expect(401);
    await stele.api.get('/v1/me').set(lou.bearer).expect(401);
    expect(await rowsWith('jon@example.org')).toEqual([]);
    expect((await typesOf(lous)).filter((type) => type === 'SiteDeleted')).toHaveLength(1);
    const { body } = await stele.api.get(`/v1/sites/${site.slug}/history`).set(kim.bearer).expect(200);
    expect(body.items[0]).toMatchObject({ type: 'MemberRemoved', actor: { id: jon.user.id } });
  }, 120_000);

  it('if the process is killed while it deletes an account, all of the user’s sites are deleted after the restart', async () => {
    const max = await signIn(stele, 'max@example.org');
    for (let count = 0; count < 25; count++) await siteOf(max, `<h1>${count}</h1>`);
    const deleted = async () =>
      (await stele.log()).filter(({ type, actor }) => type === 'SiteDeleted' && actor.includes(max.user.id)).length;
    const answer = stele.api.delete('/v1/me?sites=delete').set(max.bearer);
    const sent = answer.then(
      ({ status }) => status,
      () => 'cut off',
    );
    while ((await deleted()) === 0);
    await stele.stop('SIGKILL');
    // A fast machine may have finished the deletion already.
    expect(['cut off', 204]).toContain(await sent);
    stele = await startStele({ folder: temporary.folder });
    await stele.api.get('/v1/me').set(max.bearer).expect(401);
    expect(await deleted()).toBe(25);
    expect(await rowsWith('max@example.org')).toEqual([]);
  }, 120_000);
});
