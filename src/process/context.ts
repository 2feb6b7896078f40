import type { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Settings } from '../settings/settings.js';

/** Settings and resources with which the process was started. */
export abstract class ProcessContext {
  abstract readonly settings: Settings;
  /** Pool of connections. Its `error` events are handled by `openDatabase`, which created it. */
  abstract readonly pool: Pool;
  /** Key of 32 bytes that encrypts secrets in the database. */
  abstract readonly masterKey: Buffer;
  /**
   * Key of 32 bytes from which keys for signatures and hashes are derived. Those keys stay the same when the master
   * key changes.
   */
  abstract readonly rootKey: Buffer;
  /** Options for TypeORM, which uses its own connections to the PostgreSQL database. */
  abstract readonly database: DataSourceOptions & { readonly type: 'postgres' };
}
