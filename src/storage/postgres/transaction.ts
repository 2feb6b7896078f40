import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { answerTo } from './database-fault.js';

/**
 * Does the work in a transaction of its own, whole or not at all. What fails in it is what the database says: `StorageFull`
 * or `StoreUnavailable`, where it is one of these. A connection on which something failed is not used again.
 */
export async function transaction<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await answerTo(pool.connect());
  let fault: Error | undefined;
  try {
    await answerTo(client.query('begin'));
    const result = await answerTo(work(client));
    await answerTo(client.query('commit'));
    return result;
  } catch (error) {
    fault = error instanceof Error ? error : new Error('The transaction failed.', { cause: error });
    client.query('rollback').catch(endedWithConnection);
    throw error;
  } finally {
    client.release(fault);
  }
}
