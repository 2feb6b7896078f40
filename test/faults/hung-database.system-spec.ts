// needs: database

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { hanging, serverOf } from '../support/database/test-database.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/**
 * Maximum duration of a request. Its queries may take ten seconds (decision 0044), and it may wait before and after
 * them.
 */
const MOST_MS = 30_000;
/** A position that no read model ever reaches, so that a request with it waits for the read models. */
const FAR = { 'stele-position': '999999999999999' };
const RUN = `run_${'0'.repeat(26)}`;

describe('A service whose database hangs without closing connections', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: { readonly slug: string; readonly editToken: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('hung-database');
    stele = await startStele({ folder: temporary.folder });
    site = (await stele.api.post('/v1/deploy').type('html').send('before').expect(200)).body;
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const token = () => ({ 'x-svc-edit-token': site.editToken });
  const deploy = (key: string, html: string) =>
    stele.raw.post('/v1/deploy').set('idempotency-key', key).type('html').send(html);
  const redeploy = (html: string) =>
    stele.raw.patch(`/v1/deploy?slug=${site.slug}`).set(token()).type('html').send(html);
  const event = (runId: string) => stele.raw.post('/v1/cli/event').send({ runId, kind: 'run.started' });

  const asked = (): Readonly<Record<string, Test>> => ({
    site: stele.raw.get(`/v1/sites/${site.slug}`).set(FAR),
    history: stele.raw.get(`/v1/sites/${site.slug}/history`).set(token()).set(FAR),
    export: stele.raw.get(`/v1/sites/${site.slug}/history`).set(token()).set('accept', 'application/x-ndjson'),
    deploys: stele.raw.get(`/v1/sites/${site.slug}/deploys`).set(token()),
    job: stele.raw.get(`/v1/jobs/job_${'0'.repeat(26)}`).set(FAR),
    deploy: stele.raw.post('/v1/deploy').type('html').send('meanwhile'),
    'deploy with a key': deploy('while-the-database-hangs', 'meanwhile'),
    ...Object.fromEntries(['a', 'b', 'c', 'd'].map((n) => [`redeploy ${n}`, redeploy(n)])),
    'event of a run': event(RUN),
    'audit keys': stele.raw.get('/.well-known/stele-audit-key'),
    waitlist: stele.raw.post('/v1/waitlist').send({ email: 'ann@example.org' }),
    ready: stele.raw.get('/ready'),
  });

  it('every route that needs the database returns 503 with Retry-After', async () => {
    // Occupies all connections of the pool with queries that never get a response.
    await Promise.all([1, 2, 3, 4].map(() => stele.raw.get(`/v1/sites/${site.slug}`).set(FAR).expect(200)));
    const answers: Record<string, unknown> = {};
    await hanging(await serverOf(join(temporary.folder, 'postgres')), () =>
      Promise.all(
        Object.entries(asked()).map(async ([what, test]) => {
          answers[what] = await test.timeout(MOST_MS).then(
            ({ status, headers }) => `${status}${headers['retry-after'] ? ', come back' : ''}`,
            (error: Error) => error.message,
          );
        }),
      ),
    );
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((what) => [what, '503, come back'])));
  }, 120_000);

  it('the service recovers once the database responds again', async () => {
    while ((await stele.raw.get('/ready')).status !== 200);
    expect((await redeploy('after').expect(200)).body).toMatchObject({ slug: site.slug });
    expect((await stele.visit(site.slug).expect(200)).text).toBe('after');
    // If the hung request could not release its idempotency key, the key stays reserved for up to a minute.
    const again = () => deploy('while-the-database-hangs', 'meanwhile');
    let answer = await again();
    for (; answer.body.code === 'idempotency_in_progress'; answer = await again()) await delay(500);
    expect(answer.status).toBe(200);
    await event(RUN).expect(202);
  }, 180_000);
});
