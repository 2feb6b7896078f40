import type { ClientBase, Pool } from 'pg';
import type { PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { createSchema, type SchemaLock } from '../postgres/create-schema.js';
import type { LogStatements } from '../postgres/log-statements.js';
import { cleanRegularly } from './clean-regularly.js';

/** What tables are opened with. */
export abstract class TableContext {
  abstract readonly pool: Pool;
  /** 32 bytes: tables encrypt with it. */
  abstract readonly masterKey: Buffer;
  /** 32 bytes: keys for hashes are derived from it. It outlives a change of the master key. */
  abstract readonly rootKey: Buffer;
  /** How long a job stays with a worker that has stopped renewing its lease, in milliseconds. */
  abstract readonly jobLeaseMs: number;
  /** Null if events are not in this database. Otherwise an append makes durable what was written before it. */
  abstract readonly log: LogStatements | null;
}

/** All that the process has to know about a table. The `Feature` that owns it declares it. */
export type Table<Access extends object = object> = {
  /** For people, such as `mailed links`; its cleaning is the background task `clean_mailed_links`. */
  readonly name: string;
  /** Held while the schema is created. It never changes: processes of two versions may start together. */
  readonly lock: SchemaLock;
  /** Creates what is missing; harmless to repeat. */
  readonly schema: string;
  /** Deletes what is over. It may be late or fail: a row that is over counts as none. */
  readonly cleaning?: { readonly everyMs: number; readonly statement: string };
  /** Frees what a process held that is gone: run by one that is alone on its database when it starts. */
  readonly endLeases?: string;
  readonly open: (context: TableContext) => Access;
} & (
  | {
      /** The class that reads and writes it, which is also what it is injected by. */
      readonly access: abstract new (
        ...given: never[]
      ) => Access;
      readonly keepsPersonalData?: false;
    }
  | {
      readonly access: abstract new (...given: never[]) => Access & PersonalDataStore;
      /** It forgets a person who is erased. */
      readonly keepsPersonalData: true;
    }
);

/** Creates what is missing of it, in the caller's transaction where there is one. */
export const createTable = (db: Pick<ClientBase, 'query'>, { lock, schema }: Table) => createSchema(db, lock, schema);

/** Deletes what is over, once. */
export async function cleanTable(pool: Pool, { cleaning }: Table): Promise<void> {
  if (cleaning) await pool.query(cleaning.statement);
}

/**
 * Creates the table, ends leases of processes that are gone, and cleans it regularly until `signal` aborts. `isAlone`:
 * no other process uses the database.
 */
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

/** Closes the connections of its own that the class of a table has, if any. */
export async function closeTable(access: object): Promise<void> {
  if ('closeConnections' in access && typeof access.closeConnections === 'function') await access.closeConnections();
}
