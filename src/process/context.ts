import type { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Settings } from '../settings/settings.js';

/** What the process was started with. */
export abstract class ProcessContext {
  abstract readonly settings: Settings;
  /** Its `error` events are handled by `openDatabase`, which made it. */
  abstract readonly pool: Pool;
  /** 32 bytes: what is sealed in the database is sealed with it. */
  abstract readonly masterKey: Buffer;
  /** 32 bytes: keys for signatures and hashes are derived from it. It outlives a change of the master key. */
  abstract readonly rootKey: Buffer;
  /** For TypeORM, which has connections of its own to this database. */
  abstract readonly database: DataSourceOptions & { readonly type: 'postgres' };
}
