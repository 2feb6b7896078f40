import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { recordedRequests } from '../../support/sites/recorded-requests.js';

type Made = { readonly id: string; readonly slug: string; readonly editToken: string; readonly deployId: string };

describe('What a site is asked', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('recording');
    stele = await startStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const make = async (files: Record<string, string>): Promise<Made> => {
    const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
    const { body } = await stele.api.post('/v1/deploy').send({ files: entries }).expect(200);
    const { body: site } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    return { ...body, id: site.id };
  };
  const visit = (site: Made) => rawRequestsTo(stele.port, `${site.slug}.localhost:${stele.port}`);

  it('is recorded once for each request, however it was answered', async () => {
    const site = await make({ 'index.html': 'hello' });
    const get = visit(site);
    await get('/?utm=1');
    for (let n = 0; n < 3; n++) await get('/');
    await get('/none');
    const rows = await recordedRequests(stele, site.id, 5);
    expect(rows.map(({ method, path, status, bytes }) => [method, path, status, Number(bytes) > 0])).toEqual([
      ['GET', '/', 200, true],
      ['GET', '/', 200, true],
      ['GET', '/', 200, true],
      ['GET', '/', 200, true],
      ['GET', '/none', 404, true],
    ]);
  });
});
