import type { ClientBase, Pool } from 'pg';
import type { PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { createSchema, type SchemaLock } from '../postgres/create-schema.js';
import type { LogStatements } from '../postgres/log-statements.js';
import { cleanRegularly } from './clean-regularly.js';

/** The dependencies of tables. */
export abstract class TableContext {
  abstract readonly pool: Pool;
  /** Key for encryption in tables. 32 bytes. */
  abstract readonly masterKey: Buffer;
  /** Key from which keys for hashes are derived. 32 bytes. It survives a change of the master key. */
  abstract readonly rootKey: Buffer;
  /** Time after which a job is taken from a worker that no longer renews its lease. */
  abstract readonly jobLeaseMs: number;
  /**
   * Null if events are not in this database. Otherwise, an append also makes everything durable that was written before
   * it.
   */
  abstract readonly log: LogStatements | null;
}

/** The declaration of a table, which the `Feature` that owns the table provides. */
export type Table<Access extends object = object> = {
  /**
   * A name for people, such as `mailed links`. The table’s cleanup is then the background task `clean_mailed_links`.
   */
  readonly name: string;
  /**
   * Lock for creating the schema. It must never change, because processes of two versions may start at the same time.
   */
  readonly lock: SchemaLock;
  /** Creates missing parts. Can be run repeatedly. */
  readonly schema: string;
  /** Deletes expired rows. It may run late or fail, because expired rows are ignored anyway. */
  readonly cleaning?: { readonly everyMs: number; readonly statement: string };
  /** Releases leases of processes that are gone. Only runs when a process starts and is alone on its database. */
  readonly endLeases?: string;
  readonly open: (context: TableContext) => Access;
} & (
  | {
      /** The class that reads and writes the table, and the token for injecting it. */
      readonly access: abstract new (
        ...given: never[]
      ) => Access;
      readonly keepsPersonalData?: false;
    }
  | {
      readonly access: abstract new (...given: never[]) => Access & PersonalDataStore;
      /** The table must be able to erase a person’s data. */
      readonly keepsPersonalData: true;
    }
);

/** Creates missing parts of the table, in the caller’s transaction if there is one. */
export const createTable = (db: Pick<ClientBase, 'query'>, { lock, schema }: Table) => createSchema(db, lock, schema);

/** Deletes expired rows once. */
export async function cleanTable(pool: Pool, { cleaning }: Table): Promise<void> {
  if (cleaning) await pool.query(cleaning.statement);
}

/**
 * Creates the table, ends the leases of processes that are gone, and cleans the table regularly until `signal` aborts.
 * `isAlone` means that no other process uses the database.
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

/** Closes the connections that the table’s class has opened, if any. */
export async function closeTable(access: object): Promise<void> {
  if ('closeConnections' in access && typeof access.closeConnections === 'function') await access.closeConnections();
}
