import type { Queryable } from './queryable.js';

/** Key of an advisory lock, or a name from which PostgreSQL computes the key. Must be a constant. */
export type SchemaLock = number | string;

/**
 * Runs repeatable statements (`create table if not exists …`). PostgreSQL fails if two processes create the same table
 * at the same time, so an advisory lock makes them take turns. The lock is held until the caller’s transaction ends.
 * Outside of a transaction, one is started for these statements.
 */
export async function createSchema(db: Queryable, lock: SchemaLock, schema: string): Promise<void> {
  const key = typeof lock === 'number' ? lock : `hashtextextended('${lock}', 0)`;
  await db.query(`select pg_advisory_xact_lock(${key}); ${schema}`);
}
