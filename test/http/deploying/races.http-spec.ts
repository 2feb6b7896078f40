import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { faultsOfChain, historyOf } from '../../support/sites/history.js';

const FIFTY = Array.from({ length: 50 }, (_, index) => index + 1);

describe('Concurrent deploys', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('races');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const post = (slug: string, html: string) =>
    stele.api.post('/v1/deploy').query({ slug }).set('content-type', 'text/html').send(html);

  it('if several deploys request the same slug, one succeeds and the others get the error `slug_taken`', async () => {
    const answers = await Promise.all(FIFTY.map((racer) => post('prize', `<p>${racer}</p>`)));

    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.map(({ body }) => [body.status, body.code])).toEqual(others.map(() => [409, 'slug_taken']));

    const winner = answers.findIndex(({ status }) => status === 200) + 1;
    expect((await stele.visit('prize')).text).toBe(`<p>${winner}</p>`);
    const history = await historyOf(stele, 'prize', won[0]!.body.editToken);
    expect(history.map(({ type }) => type)).toEqual(['SiteCreated', 'SiteDeployed']);
  });

  it('concurrent deploys to one site are all recorded and numbered without gaps, and the last one is live', async () => {
    const { body: site } = await post('busy', '<p>first</p>').expect(200);
    const answers = await Promise.all(
      FIFTY.map((writer) =>
        stele.api
          .patch('/v1/deploy')
          .query({ slug: 'busy' })
          .set({ 'x-svc-edit-token': site.editToken, 'content-type': 'text/html' })
          .send(`<p>writer ${writer}</p>`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(FIFTY.map(() => 200));

    const { body } = await stele.api
      .get('/v1/sites/busy/deploys?limit=100')
      .set('x-svc-edit-token', site.editToken)
      .expect(200);
    expect(body.items.map(({ number }: { number: number }) => number)).toEqual([...FIFTY, 51].reverse());
    expect(new Set(body.items.map(({ deployId }: { deployId: string }) => deployId))).toEqual(
      new Set([site.deployId, ...answers.map(({ body }) => body.deployId)]),
    );
    expect(body.items.filter(({ status }: { status: string }) => status === 'live')).toHaveLength(1);

    const last = answers.findIndex(({ body: { deployId } }) => deployId === body.items[0].deployId) + 1;
    expect((await stele.visit('busy')).text).toBe(`<p>writer ${last}</p>`);

    const history = await historyOf(stele, 'busy', site.editToken);
    expect(history).toHaveLength(52);
    expect(faultsOfChain(history)).toEqual([]);
  });

  it('if two deploys send the same ETag, the first succeeds and the second gets an error naming the live deploy', async () => {
    const { body: site, headers } = await post('edited', '<p>0</p>').expect(200);
    const patch = (html: string) =>
      stele.api
        .patch('/v1/deploy')
        .query({ slug: 'edited' })
        .set({ 'x-svc-edit-token': site.editToken, 'content-type': 'text/html', 'if-match': headers.etag! })
        .send(html);

    const [one, two] = [await patch('<p>1</p>'), await patch('<p>2</p>')];
    expect([one.status, two.status]).toEqual([200, 412]);
    expect(two.body).toMatchObject({
      code: 'revision_mismatch',
      errors: [
        { path: 'revision', message: '3' },
        { path: 'deployId', message: one.body.deployId },
      ],
    });
  });
});
