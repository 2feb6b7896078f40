import type { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Settings } from '../settings/settings.js';

/** Settings and resources with which the process was started. */
export abstract class ProcessContext {
  abstract readonly settings: Settings;
  /** `openDatabase`, which created the pool, handles its `error` events. */
  abstract readonly pool: Pool;
  /** 32 bytes. Used to encrypt secrets in the database. */
  abstract readonly masterKey: Buffer;
  /** 32 bytes from which keys for signatures and hashes are derived. They stay the same when the master key changes. */
  abstract readonly rootKey: Buffer;
  /** Options for TypeORM, which uses its own connections to this database. */
  abstract readonly database: DataSourceOptions & { readonly type: 'postgres' };
}
