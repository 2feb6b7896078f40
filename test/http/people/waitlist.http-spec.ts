import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('The waitlist', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('waitlist');
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    stele = await startStele({ folder: temporary.folder, env: { DATABASE_URL: databaseUrl(database.config) } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await pool?.end();
    await database?.drop();
    await temporary.remove();
  });

  const join = (body: object) => stele.api.post('/v1/waitlist').send(body);
  const listed = async () => (await pool.query('select email, note from waitlist order by email')).rows;

  it('an email address is stored only once, however it is written, and each request gets the same response', async () => {
    await join({ email: 'Ann@Example.org', note: 'Please.' }).expect(200, { status: 'joined' });
    await join({ email: 'ann@example.org', note: 'Please!' }).expect(200, { status: 'joined' });
    const crowd = await Promise.all(Array.from({ length: 10 }, () => join({ email: 'BEN@example.org' })));
    expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await listed()).toEqual([
      { email: 'ann@example.org', note: 'Please.' },
      { email: 'ben@example.org', note: null },
    ]);
  });

  it.each([
    ['a missing address', {}],
    ['an invalid address', { email: 'ann' }],
    ['two addresses', { email: 'ann@example.org, ben@example.org' }],
    ['an address of 300 characters', { email: `${'a'.repeat(290)}@example.org` }],
    ['a note of 2,001 characters', { email: 'x@example.org', note: 'x'.repeat(2_001) }],
    ['a note with a NUL', { email: 'x@example.org', note: 'a\u0000b' }],
    ['an unknown field', { email: 'x@example.org', name: 'X' }],
    ['a list', []],
  ])('a request with %s is refused', async (_what, body) => {
    const before = await listed();
    expect((await join(body).expect(400)).body.code).toBe('invalid_request');
    expect(await listed()).toEqual(before);
  });
});
