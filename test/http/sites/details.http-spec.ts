import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Bearer = { authorization: string };

describe('Site details', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Bearer;
  beforeAll(async () => {
    temporary = await temporaryFolder('details');
    stele = await startStele({ folder: temporary.folder });
    ann = (await signIn(stele, 'ann@example.org')).bearer;
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const make = async (as: Record<string, string> = ann) =>
    (await stele.api.post('/v1/deploy').set(as).type('html').send('<h1>Hi</h1>').expect(200)).body;
  const describeSite = (slug: string, body: object, as: Record<string, string> = ann) =>
    stele.api.patch(`/v1/sites/${slug}`).set(as).send(body);

  it('owners can change some or all details, which appear wherever the site is shown', async () => {
    const { slug, deployId } = await make();
    const first = await describeSite(slug, { title: 'Otters & <b>friends</b>', description: 'About “them” 🦦' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      slug,
      title: 'Otters & <b>friends</b>',
      description: 'About “them” 🦦',
      visibility: 'public',
      status: 'live',
      claimed: true,
      deployId,
      capabilities: [],
      revision: 4,
    });
    expect(first.headers).toMatchObject({ etag: '"4"', 'stele-position': expect.any(String) });
    const { body } = await describeSite(slug, { title: '  Otters  ' }).expect(200);
    expect(body).toMatchObject({ title: 'Otters', description: 'About “them” 🦦' });
    const shown = await stele.api.get(`/v1/sites/${slug}`).expect(200);
    expect(shown.body).toEqual(body);
    expect(shown.headers.etag).toBe('"5"');
    const mine = await stele.api.get('/v1/me/sites').set(ann).expect(200);
    expect(mine.body.items[0]).toMatchObject({ slug, title: 'Otters' });
    expect((await describeSite(slug, { title: '', description: '' }).expect(200)).body).toMatchObject({
      title: '',
      description: '',
    });
  });

  it('a request that changes no details is not recorded', async () => {
    const { slug } = await make();
    for (const body of [{}, { title: '' }, { robots: 'index' }]) {
      const { headers, body: site } = await describeSite(slug, body).expect(200);
      expect(site.revision).toBe(3);
      expect(headers['stele-position']).toBeUndefined();
    }
  });

  it('while a site excludes search engines, all of its responses have the header X-Robots-Tag: noindex', async () => {
    const { slug } = await make();
    const robots = async () => {
      const answers = [
        await stele.visit(slug),
        await stele.visit(slug, '/missing'),
        await stele.raw.get(`/s/${slug}/`),
      ];
      return answers.map(({ headers }) => headers['x-robots-tag']);
    };
    expect(await robots()).toEqual([undefined, undefined, undefined]);
    await describeSite(slug, { robots: 'noindex' }).expect(200);
    expect(await robots()).toEqual(['noindex', 'noindex', 'noindex']);
    const { headers } = await stele.visit(slug).set('if-none-match', '*').expect(304);
    expect(headers['x-robots-tag']).toBe('noindex');
    await stele.stop();
    stele = await startStele({ folder: temporary.folder });
    expect(await robots()).toEqual(['noindex', 'noindex', 'noindex']);
    await describeSite(slug, { robots: 'index' }).expect(200);
    expect(await robots()).toEqual([undefined, undefined, undefined]);
  }, 180_000);

  it.each<[string, object, string]>([
    ['a title of two lines', { title: 'a\nb' }, 'title'],
    ['a title with NUL', { title: 'a\u0000b' }, 'title'],
    ['a title with direction controls', { title: 'a\u202eb' }, 'title'],
    ['a title with a right-to-left mark', { title: 'a\u200fb' }, 'title'],
    ['a description with a left-to-right mark', { description: 'a\u200eb' }, 'description'],
    ['a title with a lone surrogate', { title: 'a\ud800b' }, 'title'],
    ['a title that is too long', { title: 'a'.repeat(121) }, 'title'],
    ['a title that is not a string', { title: 7 }, 'title'],
    ['a description that is too long', { description: 'a'.repeat(501) }, 'description'],
    ['a description with an escape character', { description: '\u001b[31m' }, 'description'],
    ['an unknown robots value', { robots: 'maybe' }, 'robots'],
  ])('a request with %s is refused', async (_, body, path) => {
    const { slug } = await make();
    const { body: problem } = await describeSite(slug, body).expect(400);
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it('unknown fields and malformed bodies are refused', async () => {
    const { slug } = await make();
    const { body } = await describeSite(slug, { slug: 'other' }).expect(400);
    expect(JSON.stringify(body)).toContain('slug');
    for (const sent of ['[]', '"x"', 'null', '{'])
      await stele.api.patch(`/v1/sites/${slug}`).set(ann).type('json').send(sent).expect(400);
  });

  it('only owners can change details, and only if If-Match matches', async () => {
    const { slug } = await make();
    const bob = (await signIn(stele, 'bob@example.org')).bearer;
    expect((await describeSite(slug, { title: 'x' }, {}).expect(401)).body.code).toBe('unauthenticated');
    expect((await describeSite(slug, { title: 'x' }, bob).expect(403)).body.code).toBe('forbidden');
    const anonymous = await make({});
    const token = { 'x-svc-edit-token': anonymous.editToken };
    expect((await describeSite(anonymous.slug, { title: 'x' }, token).expect(403)).body.code).toBe('forbidden');
    expect((await describeSite('no-such-site', { title: 'x' }).expect(404)).body.code).toBe('site_not_found');
    const stale = await describeSite(slug, { title: 'x' }, { ...ann, 'if-match': '"4"' }).expect(412);
    expect(stale.body).toMatchObject({ code: 'revision_mismatch' });
    await describeSite(slug, { title: 'x' }, { ...ann, 'if-match': '"3"' }).expect(200);
  });
});
