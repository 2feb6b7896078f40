import type { Queryable } from './queryable.js';

/** Key of an advisory lock: a number, or a name that PostgreSQL hashes to one. Both must be constants in the code. */
export type SchemaLock = number | string;

/**
 * Creates missing parts of the database by running repeatable statements (`create table if not exists …`). An advisory
 * lock makes processes that start at the same time take turns, because PostgreSQL fails if two processes create the
 * same table at once. The lock is held until the end of the caller’s transaction or, outside of one, of a transaction
 * for these statements.
 */
export async function createSchema(db: Queryable, lock: SchemaLock, schema: string): Promise<void> {
  const key = typeof lock === 'number' ? lock : `hashtextextended('${lock}', 0)`;
  await db.query(`select pg_advisory_xact_lock(${key}); ${schema}`);
}
