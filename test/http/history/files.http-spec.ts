import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Files of a deploy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: { slug: string; editToken: string; deployId: string; digest: string };
  const paths = Array.from({ length: 1_205 }, (_, n) => `é/${String(n).padStart(4, '0')}.html`);

  beforeAll(async () => {
    temporary = await temporaryFolder('files');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ANONYMOUS_MAX_FILES: '2000' } });
    const files = paths.toReversed().map((path) => ({ path, content: path }));
    ({ body: site } = await stele.api.post('/v1/deploy').send({ files }).expect(200));
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const list = (query: object = {}) =>
    stele.api.get(`/v1/sites/${site.slug}/files`).query(query).set('x-svc-edit-token', site.editToken);
  const pathsOf = ({ items }: { items: { path: string }[] }) => items.map(({ path }) => path);

  it('files are returned in pages of a thousand by default', async () => {
    const { body: first } = await list().expect(200);
    const { deployId, digest } = site;
    expect(first).toMatchObject({ deployId, digest, page: 1, limit: 1_000, total: 1_205 });
    expect(first.items[0]).toEqual({
      path: paths[0],
      size: Buffer.byteLength(paths[0]!),
      type: 'text/html; charset=utf-8',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { body: second } = await list({ page: 2 }).expect(200);
    expect([...pathsOf(first), ...pathsOf(second)]).toEqual(paths);
  });

  it('the page size can be chosen, and the last page may be shorter', async () => {
    const { body } = await list({ page: 13, limit: 100 }).expect(200);
    expect(pathsOf(body)).toEqual(paths.slice(1_200));
    expect(body).toMatchObject({ page: 13, limit: 100, total: 1_205 });
    expect((await list({ page: 14, limit: 100 }).expect(200)).body).toMatchObject({ items: [], total: 1_205 });
  });

  it.each([{ limit: 1_001 }, { limit: 0 }, { page: 0 }, { page: 'x' }])(
    'a request with %j is refused',
    async (query) => {
      expect((await list(query).expect(400)).body.code).toBe('invalid_request');
    },
  );

  it('all files can be listed in a single stream of JSON lines', async () => {
    const lines = stele.raw.get(`/v1/sites/${site.slug}/files`).set('x-svc-edit-token', site.editToken);
    const answer = await lines.set('accept', 'application/x-ndjson').buffer(true).expect(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.headers.vary).toContain('accept');
    const items = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(items).toEqual([
      ...(await list().expect(200)).body.items,
      ...(await list({ page: 2 }).expect(200)).body.items,
    ]);
  });

  it('files of an older deploy can be listed by deploy ID', async () => {
    const redeploy = stele.api.patch('/v1/deploy').query({ slug: site.slug }).set('x-svc-edit-token', site.editToken);
    await redeploy.type('html').send('<h1>new</h1>').expect(200);
    expect(pathsOf((await list().expect(200)).body)).toEqual(['index.html']);
    expect((await list({ deployId: site.deployId, limit: 1 }).expect(200)).body).toMatchObject({ total: 1_205 });
  });
});
