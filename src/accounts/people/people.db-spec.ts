import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { createTable } from '../../storage/tables/table.js';
import { People, peopleTable } from './people.js';
import { sessionsTable } from './sessions.js';

const issuer = 'https://login.example';

describe('Users who sign in with an identity provider', () => {
  let pool: Pool;
  let people: People;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    people = new People(pool);
    await createTable(pool, peopleTable);
    await createTable(pool, sessionsTable);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });

  it('a user is unknown before the first sign-in, and simultaneous sign-ins create only one user', async () => {
    const ann = { issuer, subject: 'ann' };
    expect(await people.knownAs(ann)).toBeNull();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => people.withIdentity(ann, 'Ann@example.org', 'Ann', { userId: `usr_${n}` })),
    );
    expect(new Set(all.map(({ userId }) => userId)).size).toBe(1);
    expect(await people.knownAs(ann)).toEqual(all[0]);
    expect(await people.find(all[0]?.userId ?? '')).toMatchObject({ email: 'ann@example.org', name: 'Ann' });
  });

  it('a user is identified by provider and subject, so a changed email address does not create another user', async () => {
    const bob = { issuer, subject: 'bob' };
    const { userId } = await people.withIdentity(bob, 'bob@example.org', null, { userId: 'usr_bob' });
    const later = await people.withIdentity(bob, 'robert@example.org', null, { userId: 'usr_robert' });
    expect(later).toMatchObject({ userId, email: 'bob@example.org' });
    expect(await people.find('usr_robert')).toBeNull();
    expect(await people.knownAs({ issuer: 'https://other.example', subject: 'bob' })).toBeNull();
  });

  it('a user’s identities are deleted with the user', async () => {
    const carl = { issuer, subject: 'carl' };
    const { userId } = await people.withIdentity(carl, 'carl@example.org', null, { userId: 'usr_carl' });
    await people.erase(userId);
    expect(await people.knownAs(carl)).toBeNull();
    const { rows } = await pool.query('select 1 from identities where subject = $1', ['carl']);
    expect(rows).toEqual([]);
  });
});
