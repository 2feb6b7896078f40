import type { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Settings } from '../settings.js';

/** What the process was given to work with. */
export abstract class Surroundings {
  abstract readonly settings: Settings;
  /** Its `error` event is heard by whoever made it. */
  abstract readonly pool: Pool;
  /** 32 bytes: what is sealed in the database is sealed with it. */
  abstract readonly masterKey: Buffer;
  /** 32 bytes: what is signed or hashed with a key has one that is derived from it. It outlives a change of the master key. */
  abstract readonly rootKey: Buffer;
  /** For TypeORM, which keeps connections of its own to the same database. */
  abstract readonly database: DataSourceOptions & { readonly type: 'postgres' };
}
