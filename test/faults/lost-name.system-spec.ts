// needs: database

import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { LossyPostgresProxy } from '../support/database/lossy-postgres-proxy.js';
import { freshDatabase } from '../support/database/test-database.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

describe('A service whose database host name no longer resolves, as after a container stops', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let network: LossyPostgresProxy;
  let stele: Stele;
  let site: { readonly slug: string; readonly editToken: string };
  let lost: string;

  beforeAll(async () => {
    [temporary, database] = await Promise.all([temporaryFolder('lost-name'), freshDatabase()]);
    network = await LossyPostgresProxy.before(database.config);
    lost = join(temporary.folder, 'name-is-lost');
    const env = {
      DATABASE_URL: databaseUrl({ ...database.config, ...network.address, host: 'database.test' }),
      NODE_OPTIONS: `--import ${resolve('test/support/faults/lost-name.ts')}`,
      STELE_TEST_LOST_NAME: lost,
    };
    stele = await startStele({ folder: temporary.folder, env });
    site = (await stele.api.post('/v1/deploy').type('html').send('before').expect(200)).body;
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await network?.close();
    await database?.drop();
    await temporary?.remove();
  }, 60_000);

  it('every route returns 503 with Retry-After, and the service recovers when the name resolves again', async () => {
    await writeFile(lost, '');
    network.cut();
    const token = { 'x-svc-edit-token': site.editToken };
    const asked = [
      stele.raw.get(`/v1/sites/${site.slug}/deploys`).set(token),
      stele.raw.get(`/v1/sites/${site.slug}/history`).set(token),
      stele.raw.get(`/v1/jobs/job_${'0'.repeat(26)}`),
      stele.raw.get('/v1/me').set('authorization', `Bearer stele_session_${'x'.repeat(49)}`),
      stele.raw.get('/sites').set('cookie', `stele_session=${'x'.repeat(49)}`),
      stele.raw.post('/v1/deploy').type('html').send('meanwhile'),
      stele.raw.post('/v1/waitlist').send({ email: 'ann@example.org' }),
      stele.raw.get('/ready'),
    ];
    const answers = await Promise.all(asked);
    const told = answers.map(({ status, headers }) => [status, Number(headers['retry-after']) > 0]);
    expect(told).toEqual(answers.map(() => [503, true]));
    expect((await stele.visit(site.slug).expect(200)).text).toBe('before');

    await rm(lost);
    while ((await stele.raw.get('/ready')).status !== 200);
    await stele.api.get(`/v1/sites/${site.slug}/deploys`).set(token).expect(200);
  }, 120_000);
});
