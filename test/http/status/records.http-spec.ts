import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deployReadModel } from '../../../src/projections/models/deploy.projection.js';
import { historyReadModel } from '../../../src/projections/models/history.projection.js';
import { siteReadModel } from '../../../src/projections/models/site.projection.js';
import { ofVersion } from '../../../src/projections/table-names.js';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { testStore } from '../../support/eventstore/test-store.js';
import { operator } from '../../support/service/operator-command.js';
import { statusOf, statusWhen } from '../../support/service/status.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const NINETY_DAYS = `
insert into status_days (day, component, well, failing, since)
select (now() at time zone 'utc')::date - n, 'publish', 1400, n % 7, date_trunc('day', now()) - n * interval '1 day'
from generate_series(1, 120) n`;

describe('Status records', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let env: Record<string, string>;
  let stele: Stele;
  const token = 'the-operator-itself';
  const start = async (more: Record<string, string> = {}) => {
    stele = await startStele({ folder: temporary.folder, env: { ...env, STELE_ADMIN_TOKEN: token, ...more } });
  };
  const projections = async (...args: string[]) => {
    const { code, out, err } = await operator('projections', args, { ...env, STELE_DATA: temporary.folder }).ran;
    return { code, out: out + err };
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('status-records');
    database = await freshDatabase();
    const place = { DATABASE_URL: databaseUrl(database.config) };
    env = { ...place, ...(await testStore(place)) };
    await start();
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await database?.drop();
    await temporary.remove();
  });

  it('incidents and status records of the last ninety days survive a rebuild of the read models', async () => {
    await stele.query(NINETY_DAYS);
    await stele.raw
      .post('/v1/admin/incidents')
      .set('authorization', `Bearer ${token}`)
      .send({ title: 'Slow', body: 'It was slow.', components: [], status: 'resolved' })
      .expect(201);
    const before = await statusOf(stele);
    expect(before.components).toMatchObject([{ name: 'publish', status: 'unknown' }]);
    expect(before.components[0]?.days.filter(({ well }) => well === 1_400)).toHaveLength(89);
    expect(before.components[0]?.days.slice(0, -1).every(({ failing, unknown }) => unknown === 40 - failing)).toBe(
      true,
    );

    expect(await projections('rebuild')).toMatchObject({ code: 0 });
    await stele.stop();
    await start();
    // A new process reads its status records soon after its start.
    const after = await statusWhen(stele, ({ components }) => components.length > 0);
    const past = ({ components }: typeof before) => components.map(({ days }) => days.slice(0, -1));
    expect(past(after)).toEqual(past(before));
    expect(after.incidents).toEqual(before.incidents);
  }, 120_000);

  it('records of the probe’s own sites never reach read models, and are deleted after the probe moves to another site', async () => {
    await stele.stop();
    await start({ STELE_STATUS_PROBES: '1s', STELE_STREAMS_KEPT: '2s' });
    const streams = async () => [
      ...new Set((await stele.log()).flatMap(({ stream }) => (stream.startsWith('site-prb_') ? [stream] : []))),
    ];
    await statusWhen(stele, ({ components }) => components.some(({ status }) => status === 'well'));
    const [first = ''] = await streams();
    // When the probe's site has been taken down, the probe publishes another one.
    await stele.raw
      .post('/v1/admin/sites/status/takedown')
      .set('authorization', `Bearer ${token}`)
      .send({ reason: 'to see the next' })
      .expect(200);
    const typesOf = async (name: string) =>
      (await stele.log()).flatMap(({ stream, type }) => (stream === name ? [type] : []));
    while ((await typesOf(first)).join() !== 'SiteForgotten') await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await streams()).toHaveLength(2);
    await stele.visit('status').expect(200);

    await stele.stop();
    expect(await projections('verify')).toMatchObject({ code: 0, out: expect.not.stringContaining('NOT') });
    const siteId = first.slice('site-'.length);
    const tables = [ofVersion('history', historyReadModel.version), ofVersion('deploys', deployReadModel.version)];
    for (const table of [...tables, ofVersion('sites', siteReadModel.version)])
      expect([
        table,
        await stele.query(`select count(*)::int as rows from ${table} where site_id = '${siteId}'`),
      ]).toEqual([table, [{ rows: 0 }]]);
    await start();
  }, 120_000);
});
