import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { historyOf } from '../../support/sites/history.js';

describe('Redeploying a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('redeploy');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  type Site = { slug: string; editToken: string; deployId: string };
  const files = (...entries: object[]) => ({ files: entries });
  const newSite = async (...entries: object[]): Promise<Site> =>
    (
      await stele.api
        .post('/v1/deploy')
        .send(files(...entries))
        .expect(200)
    ).body;
  const patch = ({ slug, editToken }: Site, query: string, ...entries: object[]) =>
    stele.api
      .patch(`/v1/deploy?slug=${slug}${query}`)
      .set('x-svc-edit-token', editToken)
      .send(files(...entries));
  const deploys = async ({ slug, editToken }: Site) =>
    (await stele.api.get(`/v1/sites/${slug}/deploys`).set('x-svc-edit-token', editToken).expect(200)).body.items;

  it('mode=merge keeps the live files, adds or replaces the sent files, and removes files marked for deletion', async () => {
    const site = await newSite(
      { path: 'index.html', content: '1' },
      { path: 'keep.txt', content: 'k' },
      { path: 'old.txt', content: 'o' },
    );
    const { body } = await patch(
      site,
      '&mode=merge',
      { path: 'index.html', content: '2' },
      { path: 'new.txt', content: 'n' },
      { path: 'old.txt', delete: true },
    ).expect(200);
    expect(body.files).toBe(3);

    expect((await stele.visit(site.slug)).text).toBe('2');
    expect((await stele.visit(site.slug, '/keep.txt')).text).toBe('k');
    expect((await stele.visit(site.slug, '/new.txt')).text).toBe('n');
    await stele.visit(site.slug, '/old.txt').expect(404);
  });

  it('concurrent merges do not overwrite each other’s changes', async () => {
    const site = await newSite({ path: 'index.html', content: '0' });
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    const answers = await Promise.all(
      numbers.map((n) => patch(site, '&mode=merge', { path: `${n}.txt`, content: `${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    for (const n of numbers) expect((await stele.visit(site.slug, `/${n}.txt`)).text).toBe(`${n}`);
  });

  it('a digest refers only to content of the same site', async () => {
    const site = await newSite({ path: 'index.html', content: '1' }, { path: 'a.txt', content: 'mine' });
    const other = await newSite({ path: 'index.html', content: 'secret of another' });
    const sha256 = (text: string) => hash('sha256', text);

    const { body } = await patch(site, '', { path: 'b.txt', sha256: sha256('mine') }).expect(200);
    expect(body.files).toBe(1);
    expect((await stele.visit(site.slug, '/b.txt')).text).toBe('mine');

    const stolen = await patch(site, '', { path: 'c.txt', sha256: sha256('secret of another') }).expect(422);
    expect(stolen.body).toMatchObject({
      code: 'blob_missing',
      errors: [{ path: expect.stringContaining('files[0]') }],
    });
    expect((await stele.visit(other.slug)).text).toBe('secret of another');
  });

  it('publish=false stores a deploy without making it live, and a rollback makes it live', async () => {
    const site = await newSite({ path: 'index.html', content: 'shown' });
    const { body: staged } = await patch(site, '&publish=false&message=Spring', {
      path: 'index.html',
      content: 'hidden',
    }).expect(200);

    expect((await stele.visit(site.slug)).text).toBe('shown');
    expect((await stele.visit(`dep-${staged.deployId.slice(4)}`)).text).toBe('hidden');
    expect(await deploys(site)).toMatchObject([
      { deployId: staged.deployId, number: 2, status: 'staged', message: 'Spring', liveFrom: null },
      { deployId: site.deployId, number: 1, status: 'live', message: null },
    ]);
    await stele.api
      .post(`/v1/sites/${site.slug}/rollback`)
      .set('x-svc-edit-token', site.editToken)
      .send({ deployId: staged.deployId })
      .expect(200);
    expect((await stele.visit(site.slug)).text).toBe('hidden');
  });

  it('the deploy’s message appears in the history', async () => {
    const site = await newSite({ path: 'index.html', content: '1' });
    await patch(site, `&message=${encodeURIComponent('New colours 🎨')}`, { path: 'index.html', content: '2' }).expect(
      200,
    );
    const history = await historyOf(stele, site.slug, site.editToken);
    expect(history.at(-1)).toMatchObject({ type: 'SiteDeployed', data: { message: 'New colours 🎨' } });
    await patch(site, `&message=${'x'.repeat(201)}`, { path: 'index.html', content: '3' }).expect(400);
  });

  it('redeploys are refused while a site is taken down by the operator', async () => {
    const site = await newSite({ path: 'index.html', content: 'bad' });
    const admin = (what: string, token: string | null, body: object) => {
      const request = stele.api.post(`/v1/admin/sites/${site.slug}/${what}`);
      return (token ? request.set('authorization', `Bearer ${token}`) : request).send(body);
    };
    await admin('takedown', null, { reason: 'phishing' }).expect(401);
    await admin('takedown', 'wrong', { reason: 'phishing' }).expect(401);
    await admin('takedown', 'operator-token-of-tests', { reason: 'phishing' }).expect(200);

    await stele.visit(site.slug).expect(451);
    await stele.api.get(`/s/${site.slug}/`).expect(451);
    await stele.visit(`dep-${site.deployId.slice(4)}`).expect(451);
    expect((await stele.api.get(`/v1/sites/${site.slug}`).expect(451)).body.code).toBe('taken_down');
    expect((await patch(site, '', { path: 'index.html', content: 'again' }).expect(451)).body.code).toBe('taken_down');

    await admin('restore', 'operator-token-of-tests', {}).expect(200);
    expect((await stele.visit(site.slug)).text).toBe('bad');
    const history = await historyOf(stele, site.slug, site.editToken);
    expect(history.slice(-2).map(({ type, actor }) => [type, actor])).toEqual([
      ['SiteTakenDown', { kind: 'system', name: 'operator' }],
      ['SiteRestored', { kind: 'system', name: 'operator' }],
    ]);
  });
});
