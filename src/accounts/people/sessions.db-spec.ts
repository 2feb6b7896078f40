import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { createTable } from '../../storage/tables/table.js';
import { People, peopleTable } from './people.js';
import { SessionStore, sessionsTable } from './sessions.js';

describe('Sessions', () => {
  let pool: Pool;
  let sessions: SessionStore;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    sessions = new SessionStore(pool);
    await createTable(pool, peopleTable);
    await createTable(pool, sessionsTable);
    for (const name of ['ann', 'bob']) await new People(pool).withEmail(`${name}@example.org`, { userId: name });
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });

  const begin = (userId: string, n: number) =>
    sessions.begin({
      sessionId: `ses_${userId}_${n}`,
      tokenHash: `hash of ${userId}_${n}`,
      userId,
      client: null,
      purpose: 'program',
    });
  const idsOf = async (userId: string) => (await sessions.of(userId)).map(({ sessionId }) => sessionId);

  it('a user can have a hundred sessions; beyond that, the least recently used ones end', async () => {
    await begin('bob', 1);
    for (let n = 1; n <= 100; n++) await begin('ann', n);
    expect(await idsOf('ann')).toHaveLength(100);
    // Use the first session again. This makes the second session the least recently used one, which ends when another
    // is created.
    await pool.query(`update sessions set last_used_at = now() - interval '5 minutes' where session_id = 'ses_ann_1'`);
    expect(await sessions.use('hash of ann_1')).not.toBeNull();
    await begin('ann', 101);
    expect(await idsOf('ann')).toHaveLength(100);
    expect(await sessions.use('hash of ann_2')).toBeNull();
    expect(await sessions.use('hash of ann_1')).not.toBeNull();
    expect(await idsOf('bob')).toEqual(['ses_bob_1']);
  });

  it('storing a session with an existing ID replaces that session and ends no other', async () => {
    await begin('ann', 101);
    await begin('ann', 101);
    expect(await idsOf('ann')).toHaveLength(100);
  });

  it('all sessions of one user can be ended together without affecting other users', async () => {
    await sessions.endAll('ann');
    expect(await idsOf('ann')).toEqual([]);
    expect(await idsOf('bob')).toEqual(['ses_bob_1']);
  });
});
