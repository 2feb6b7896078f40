import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

/** No read model ever reaches this position. */
const FAR = '999999999999999999';
const READS = 5;
/** Duration of a read if the service waited for the position. */
const IF_IT_WAITED_MS = 2_000;

describe('A stele-position header that was never issued', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('made-up');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('a read does not wait for a position that was never issued, and returns the current state', async () => {
    const { body: site, headers } = await stele.api.post('/v1/deploy').type('html').send('page').expect(200);
    const took: number[] = [];
    for (let read = 0; read < READS; read++) {
      const started = performance.now();
      const answer = await stele.api.get(`/v1/sites/${site.slug}`).set('stele-position', FAR).expect(200);
      expect(answer.headers['stele-position']).toBe(headers['stele-position']);
      took.push(performance.now() - started);
    }
    expect(took.filter((ms) => ms >= IF_IT_WAITED_MS).length).toBeLessThan(READS / 2);
  }, 180_000);
});
