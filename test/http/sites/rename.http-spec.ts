import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { signIn } from '../../support/people/sign-in.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Made = { slug: string; deployId: string };
type Bearer = { authorization: string };

describe('Renaming a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Bearer;
  let bob: Bearer;
  beforeAll(async () => {
    temporary = await temporaryFolder('rename');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ADMIN_TOKEN: 'operator-token-of-tests' } });
    ann = (await signIn(stele, 'ann@example.org')).bearer;
    bob = (await signIn(stele, 'bob@example.org')).bearer;
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const make = async (slug: string, as: Bearer = ann): Promise<Made> =>
    (await stele.api.post(`/v1/deploy?slug=${slug}`).set(as).type('html').send(`<h1>${slug}</h1>`).expect(200)).body;
  const rename = (slug: string, to: unknown, as: Record<string, string> = ann) =>
    stele.api.post(`/v1/sites/${slug}/rename`).set(as).send({ slug: to });
  const host = (slug: string) => `http://${slug}.localhost:${stele.port}`;
  const location = async (slug: string, path: string) => {
    const { status, headers } = await rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`)(path);
    return [status, headers.location];
  };
  const locationUnder = async (path: string) => {
    const { status, headers } = await rawRequestsTo(stele.port, `127.0.0.1:${stele.port}`)(path);
    return [status, headers.location];
  };

  it('the site is available under its new slug, and every older address redirects there in one step', async () => {
    const { deployId } = await make('first-name');
    await stele.visit('first-name').expect(200);
    const { body, headers } = await rename('first-name', 'second-name').expect(200);
    expect(body).toMatchObject({
      slug: 'second-name',
      url: `${host('second-name')}/`,
      pathUrl: `http://localhost:${stele.port}/s/second-name/`,
      status: 'live',
      claimed: true,
      deployId,
      revision: 4,
    });
    expect(headers.etag).toBe('"4"');
    expect((await stele.visit('second-name').expect(200)).text).toBe('<h1>first-name</h1>');
    expect(await location('first-name', '/')).toEqual([308, `${host('second-name')}/`]);

    await rename('second-name', 'third-name').expect(200);
    const third = host('third-name');
    const base = `http://localhost:${stele.port}`;
    for (const old of ['first-name', 'second-name']) {
      expect(await location(old, '/a/b%20c?d=e&f=%2F')).toEqual([308, `${third}/a/b%20c?d=e&f=%2F`]);
      expect(await locationUnder(`/s/${old}`)).toEqual([308, `${base}/s/third-name/`]);
      expect(await locationUnder(`/s/${old}?x=1`)).toEqual([308, `${base}/s/third-name/?x=1`]);
      expect(await locationUnder(`/s/${old}/a%2fb?x=1`)).toEqual([308, `${base}/s/third-name/a%2fb?x=1`]);
      const past = `/@${deployId}/a.html`;
      expect(await locationUnder(`/s/${old}${past}`)).toEqual([308, `${base}/s/third-name${past}`]);
    }
    const preview = await stele.visit(`dep-${deployId.slice(4)}`).expect(200);
    expect(preview.text).toBe('<h1>first-name</h1>');
    await stele.raw.get(`/s/third-name/@${deployId}/`).expect(200);
  });

  it.each([
    ['//evil.example/', '//evil.example/'],
    ['/..%2f..%2f', '/..%2f..%2f'],
    ['/\\evil.example', '/\\evil.example'],
    ['/%0d%0aset-cookie:x', '/%0d%0aset-cookie:x'],
    ['/?next=https://evil.example', '/?next=https://evil.example'],
    ['/?', '/?'],
  ])('an older address never redirects to another host: %s', async (asked, expected) => {
    const slug = `led-${Math.random().toString(36).slice(2, 10)}`;
    await make(slug);
    await rename(slug, `${slug}-on`).expect(200);
    expect(await location(slug, asked)).toEqual([308, `${host(`${slug}-on`)}${expected}`]);
  });

  it('every API route accepts older slugs of a site and returns the newest slug', async () => {
    const { deployId } = await make('alias-old');
    await rename('alias-old', 'alias-new').expect(200);
    const old = '/v1/sites/alias-old';
    expect((await stele.api.get(old).expect(200)).body.slug).toBe('alias-new');
    const { body: history } = await stele.api.get(`${old}/history`).set(ann).expect(200);
    expect(history.items[0]).toMatchObject({ type: 'SiteRenamed', summary: 'Renamed from alias-old to alias-new' });
    for (const read of ['/deploys', '/files', '/files.zip', '/capabilities'])
      await stele.api.get(`${old}${read}`).set(ann).expect(200);
    const { body: redeployed } = await stele.api
      .patch('/v1/deploy?slug=alias-old')
      .set(ann)
      .type('html')
      .send('2')
      .expect(200);
    expect(redeployed).toMatchObject({ slug: 'alias-new', url: `${host('alias-new')}/` });
    const { body: posted } = await stele.api.post('/v1/deploy?slug=alias-old').set(ann).type('html').send('3');
    expect(posted.slug).toBe('alias-new');
    const { body: back } = await stele.api.post(`${old}/rollback`).set(ann).send({ deployId }).expect(200);
    expect(back).toMatchObject({ slug: 'alias-new', url: `${host('alias-new')}/` });
    const { body: mine } = await stele.api.get('/v1/me/sites?limit=100').set(ann).expect(200);
    const slugs = mine.items.map(({ slug }: Made) => slug);
    expect(slugs).toContain('alias-new');
    expect(slugs).not.toContain('alias-old');
    await stele.api.delete(old).set(ann).expect(204);
    await stele.api.get('/v1/sites/alias-new').expect(404);
    for (const slug of ['alias-old', 'alias-new']) {
      await stele.visit(slug).expect(404);
      expect((await stele.api.post(`/v1/deploy?slug=${slug}`).type('html').send('x').expect(409)).body.code).toBe(
        'slug_taken',
      );
    }
  });

  it('older slugs stay reserved, and the site can take them back', async () => {
    await make('mine-once');
    await make('bob-s', bob);
    await rename('mine-once', 'mine-now').expect(200);
    expect((await rename('bob-s', 'mine-once', bob).expect(409)).body.code).toBe('slug_taken');
    const post = stele.api.post('/v1/deploy?slug=mine-once').set(bob).type('html').send('x');
    expect((await post.expect(409)).body.code).toBe('slug_taken');

    expect((await rename('mine-now', 'mine-once').expect(200)).body.slug).toBe('mine-once');
    await stele.visit('mine-once').expect(200);
    expect(await location('mine-now', '/x')).toEqual([308, `${host('mine-once')}/x`]);
    expect((await rename('bob-s', 'mine-now', bob).expect(409)).body.code).toBe('slug_taken');
  });

  it('a rename to the current slug changes nothing', async () => {
    await make('same-same');
    const { body, headers } = await rename('same-same', 'same-same').expect(200);
    expect(body).toMatchObject({ slug: 'same-same', revision: 3 });
    expect(headers['stele-position']).toBeUndefined();
  });

  it.each([
    ['UPPER', 'invalid_slug'],
    ['-x', 'invalid_slug'],
    ['', 'invalid_slug'],
    ['a'.repeat(49), 'invalid_slug'],
    ['www', 'invalid_slug'],
    ['xn--a', 'invalid_slug'],
    [`dep-${'0'.repeat(26)}`, 'invalid_slug'],
    ['a b', 'invalid_slug'],
    ['../etc', 'invalid_slug'],
    ['ｗｗｗ', 'invalid_slug'],
    ['a\u0000', 'invalid_slug'],
    ['a'.repeat(65), 'invalid_request'],
    [7, 'invalid_request'],
    [null, 'invalid_request'],
    [['a'], 'invalid_request'],
  ])('the slug %j is refused', async (slug, code) => {
    await stele.api.get('/v1/sites/kept-name').then(({ status }) => (status === 404 ? make('kept-name') : null));
    const { body } = await rename('kept-name', slug).expect(400);
    expect(body).toMatchObject({ code, errors: [{ path: 'slug' }] });
  });

  it('unknown fields and missing sites are refused', async () => {
    await make('strictly');
    const { body } = await stele.api.post('/v1/sites/strictly/rename').set(ann).send({ slug: 'x1', name: 'y' });
    expect(body).toMatchObject({ code: 'invalid_request', status: 400 });
    expect((await rename('nowhere-at-all', 'x2').expect(404)).body.code).toBe('site_not_found');
  });

  it('only owners can rename a site, and a refused request reserves no slug', async () => {
    await make('owned');
    expect((await rename('owned', 'wanted', {}).expect(401)).body.code).toBe('unauthenticated');
    expect((await rename('owned', 'wanted', bob).expect(403)).body.code).toBe('forbidden');
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
    const token = { 'x-svc-edit-token': site.editToken };
    expect((await rename(site.slug, 'wanted', token).expect(403)).body.code).toBe('forbidden');
    const stale = await rename('owned', 'wanted', { ...ann, 'if-match': '"4"' }).expect(412);
    expect(stale.body.code).toBe('revision_mismatch');
    expect((await stele.log()).filter(({ stream }) => stream === 'slug-wanted')).toEqual([]);
    await make('wanted', bob);
    await rename('owned', 'owned-now', { ...ann, 'if-match': '"3"' }).expect(200);
  });

  it('of fifty concurrent renames to the same slug, exactly one succeeds', async () => {
    const racers = await Promise.all(Array.from({ length: 50 }, (_, n) => make(`racer-${n}`)));
    const answers = await Promise.all(racers.map(({ slug }) => rename(slug, 'the-prize')));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'slug_taken')).toHaveLength(49);
    const winner = racers[answers.findIndex(({ status }) => status === 200)];
    expect((await stele.visit('the-prize').expect(200)).text).toBe(`<h1>${winner?.slug}</h1>`);
  }, 180_000);

  it('a takedown also takes down the site’s older addresses', async () => {
    await make('was-here');
    await rename('was-here', 'is-here').expect(200);
    const operator = { authorization: 'Bearer operator-token-of-tests' };
    await stele.api.post('/v1/admin/sites/was-here/takedown').set(operator).send({ reason: 'abuse' }).expect(200);
    for (const slug of ['was-here', 'is-here']) await stele.visit(slug).expect(451);
    await stele.api.post('/v1/admin/sites/is-here/restore').set(operator).expect(200);
    expect((await location('was-here', '/'))[0]).toBe(308);
  });

  it('a rename survives a crash of the process', async () => {
    await make('before-end');
    await rename('before-end', 'after-end').expect(200);
    await stele.api
      .delete('/v1/sites/after-end')
      .set({ ...ann, 'if-match': '"1"' })
      .expect(412);
    await stele.stop('SIGKILL');
    stele = await startStele({ folder: temporary.folder });
    expect(await location('before-end', '/?a')).toEqual([308, `${host('after-end')}/?a`]);
    await stele.visit('after-end').expect(200);
    expect((await stele.api.get('/v1/sites/before-end').expect(200)).body.slug).toBe('after-end');
  }, 180_000);
});

describe('Names, details and capabilities on two processes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('rename-two');
    database = await freshDatabase();
    const env = { DATABASE_URL: databaseUrl(database.config) };
    [one, two] = await Promise.all([
      startStele({ folder: temporary.folder, env }),
      startStele({ folder: temporary.folder, env }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  /**
   * Waits for a change. docs/interface/publishing.md ("Atomic deploys") allows a second, but a busy machine may need
   * more.
   */
  async function soon(ask: () => Promise<boolean>) {
    const enough = Date.now() + 20_000;
    while (!(await ask())) if (Date.now() > enough) throw new Error('not soon');
  }

  it('changes soon reach the other process, and exactly one of fifty concurrent renames to a slug succeeds', async () => {
    const { bearer } = await signIn(one, 'cat@example.org');
    const make = (slug: string) =>
      one.api.post(`/v1/deploy?slug=${slug}`).set(bearer).type('html').send(`<h1>${slug}</h1>`).expect(200);
    await make('here-and-there');
    await soon(async () => (await two.visit('here-and-there')).status === 200);
    await one.api.post('/v1/sites/here-and-there/rename').set(bearer).send({ slug: 'moved' }).expect(200);
    await soon(async () => (await two.visit('here-and-there').redirects(0)).status === 308);
    await two.visit('moved').expect(200);
    await one.api.post('/v1/sites/moved/capabilities').set(bearer).send({ name: 'spa', enabled: true }).expect(200);
    await soon(async () => (await two.visit('moved', '/any/page')).status === 200);
    await one.api.patch('/v1/sites/moved').set(bearer).send({ robots: 'noindex' }).expect(200);
    await soon(async () => (await two.visit('moved')).headers['x-robots-tag'] === 'noindex');

    for (let n = 0; n < 50; n++) await make(`runner-${n}`);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        [one, two][n % 2]!.api.post(`/v1/sites/runner-${n}/rename`).set(bearer).send({ slug: 'goal' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);

    const { headers } = await one.api.delete('/v1/sites/goal').set(bearer).expect(204);
    await soon(async () => (await two.visit('goal')).status === 404);
    await two.api
      .get('/v1/sites/goal')
      .set('stele-position', headers['stele-position'] ?? '')
      .expect(404);
  }, 180_000);
});
