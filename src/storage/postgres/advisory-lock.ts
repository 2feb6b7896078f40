import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` while holding an advisory lock. Returns undefined if another process holds it. The lock belongs to the
 * session that is passed to `work`, and is released when that session ends.
 */
export async function withAdvisoryLock<Result>(
  pool: Pool,
  name: string,
  work: (session: PoolClient) => Promise<Result>,
): Promise<Result | undefined> {
  const session = await pool.connect();
  let lost: Error | undefined;
  // Records the loss of the session, which can happen between two statements.
  const onLost = (reason: Error) => {
    lost = reason;
  };
  session.on('error', onLost);
  try {
    const { rows } = await session.query<{ got: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
      [name],
    );
    if (!rows[0]?.got) return undefined;
    try {
      return await work(session);
    } finally {
      await session.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(onLost);
    }
  } finally {
    session.removeListener('error', onLost);
    session.release(lost);
  }
}
