import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

/** No read model ever reaches this position. */
const FAR = '999999999999999999';
/** Number of reads. If the service waited for the position, each read would take two seconds. */
const READS = 5;

describe('A stele-position header that was never issued', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('made-up');
    stele = await sharedStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('a read does not wait for a position that was never issued, and returns the current state', async () => {
    const { body: site, headers } = await stele.api.post('/v1/deploy').type('html').send('page').expect(200);
    const started = performance.now();
    for (let read = 0; read < READS; read++) {
      const answer = await stele.api.get(`/v1/sites/${site.slug}`).set('stele-position', FAR).expect(200);
      expect(answer.headers['stele-position']).toBe(headers['stele-position']);
    }
    expect(performance.now() - started).toBeLessThan((READS * 2_000) / 2);
  }, 30_000);
});
