import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { awaitDatabase } from './database-fault.js';

/** Runs `work` in a transaction. Converts errors with `databaseFault`. Discards the connection after any failure. */
export async function transaction<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await awaitDatabase(pool.connect());
  let fault: Error | undefined;
  try {
    await awaitDatabase(client.query('begin'));
    const result = await awaitDatabase(work(client));
    await awaitDatabase(client.query('commit'));
    return result;
  } catch (error) {
    fault = error instanceof Error ? error : new Error('The transaction failed.', { cause: error });
    client.query('rollback').catch(endedWithConnection);
    throw error;
  } finally {
    client.release(fault);
  }
}
