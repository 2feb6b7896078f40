import type { Queryable } from './queryable.js';

/** Of an advisory lock: a number, or a name that PostgreSQL hashes into one. Both are constants of the code. */
export type SchemaLock = number | string;

/**
 * Creates what is missing in the database, by statements that can be run again (`create table if not exists …`).
 * Processes that start together do so one after another, as PostgreSQL fails where two create one table at once: the
 * lock is held to the end of the transaction, which is the caller's, or else made of these statements alone.
 */
export async function createSchema(db: Queryable, lock: SchemaLock, schema: string): Promise<void> {
  const key = typeof lock === 'number' ? lock : `hashtextextended('${lock}', 0)`;
  await db.query(`select pg_advisory_xact_lock(${key}); ${schema}`);
}
