import type { ClientBase, Pool } from 'pg';
import type { PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { createSchema, type SchemaLock } from '../postgres/create-schema.js';
import type { LogStatements } from '../postgres/log-statements.js';
import { cleanRegularly } from './clean-regularly.js';

export abstract class TableContext {
  abstract readonly pool: Pool;
  /** Key for encrypting values in tables. 32 bytes. */
  abstract readonly masterKey: Buffer;
  /** A key of 32 bytes from which the keys of keyed hashes are derived. It stays the same if the master key changes. */
  abstract readonly rootKey: Buffer;
  /** Time after which a worker that has not renewed its lease loses its job. */
  abstract readonly jobLeaseMs: number;
  /**
   * The event log, for appending events in the same statement as rows of a table. Null if events are not in this
   * database. When an append is durable, all earlier writes are durable as well.
   */
  abstract readonly log: LogStatements | null;
}

/** A database table, declared by the `Feature` that owns it. */
export type Table<Access extends object = object> = {
  /** A name such as `mailed links`, from which the name of the cleanup task is derived (`clean_mailed_links`). */
  readonly name: string;
  /** Lock for creating the schema. Must never change, because processes of two versions may start together. */
  readonly lock: SchemaLock;
  /** SQL that creates missing parts of the table. Can be run repeatedly. */
  readonly schema: string;
  /**
   * SQL that deletes expired rows, and its interval. It may run late or fail, because expired rows are ignored anyway.
   */
  readonly cleaning?: { readonly everyMs: number; readonly statement: string };
  /** SQL that releases leases of ended processes. Runs when a process starts and no other process uses the database. */
  readonly endLeases?: string;
  readonly open: (context: TableContext) => Access;
} & (
  | {
      /** The class that reads and writes the table, which is also the injection token. */
      readonly access: abstract new (
        ...given: never[]
      ) => Access;
      readonly keepsPersonalData?: false;
    }
  | {
      readonly access: abstract new (...given: never[]) => Access & PersonalDataStore;
      /** The table contains personal data, so its `access` class must be able to erase personal data. */
      readonly keepsPersonalData: true;
    }
);

/** Creates missing parts of the table. Uses the caller’s transaction if there is one. */
export const createTable = (db: Pick<ClientBase, 'query'>, { lock, schema }: Table) => createSchema(db, lock, schema);

export async function cleanTable(pool: Pool, { cleaning }: Table): Promise<void> {
  if (cleaning) await pool.query(cleaning.statement);
}

/** Creates the table and regularly deletes expired rows. Releases old leases if no other process uses the database. */
export async function startTable(
  table: Table,
  { pool, isAlone, signal }: { readonly pool: Pool; readonly isAlone: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { name, cleaning, endLeases } = table;
  await createTable(pool, table);
  if (isAlone && endLeases) await pool.query(endLeases);
  if (!cleaning) return;
  const task = { name: `clean_${name.replace(/\W/g, '_')}`, everyMs: cleaning.everyMs, signal };
  cleanRegularly(task, () => cleanTable(pool, table));
}

export async function closeTable(access: object): Promise<void> {
  if ('closeConnections' in access && typeof access.closeConnections === 'function') await access.closeConnections();
}
