import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('A token revoked on one process', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let slug: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('tokens-two');
    database = await freshDatabase();
    const env = { DATABASE_URL: databaseUrl(database.config) };
    one = await startStele({ folder: temporary.folder, env });
    two = await startStele({ folder: temporary.folder, env });
    ann = await signIn(one, 'ann@example.org');
    slug = (await one.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>x</h1>').expect(200)).body.slug;
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  it.each([
    ['a site token', () => `/v1/sites/${slug}/tokens`],
    ['a personal token', () => '/v1/me/tokens'],
  ])('after one process revokes %s, the other process refuses it from the next request on', async (_, path) => {
    const made = await one.api.post(path()).set(ann.bearer).send({ name: 'CI', role: 'editor' }).expect(201);
    const script = { authorization: `Bearer ${made.body.token}` };
    const redeploy = ({ api }: Stele) =>
      api.patch(`/v1/deploy?slug=${slug}`).set(script).type('html').send(`<h1>${Math.random()}</h1>`);
    let position = '';
    for (let n = 0; n < 5; n++) position = (await redeploy(two).expect(200)).headers['stele-position'] ?? '';
    const before = await one.api
      .get(`/v1/sites/${slug}/deploys`)
      .set({ ...ann.bearer, 'stele-position': position })
      .expect(200);
    await one.api.delete(`${path()}/${made.body.id}`).set(ann.bearer).expect(204);
    const refused = await Promise.all([two, one, two].map((stele) => redeploy(stele)));
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    const after = await two.api.get(`/v1/sites/${slug}/deploys`).set(ann.bearer).expect(200);
    expect(after.body.total).toBe(before.body.total);
  });
});
