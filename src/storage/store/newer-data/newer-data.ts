import { hash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Catalogue } from '../../../events/event-type.js';
import { createSchema } from '../../postgres/create-schema.js';

type Shape = { readonly type: string; readonly schema: number };

/** Returns the given event types that occur in the log, with their latest schema versions. */
async function shapesInLog(
  pool: Pool,
  eventStoreUrl: string | null,
  wanted: readonly Shape[],
): Promise<readonly Shape[]> {
  const types = wanted.map(({ type }) => type);
  return eventStoreUrl === null ? inDatabase(pool, types) : inEventStore(eventStoreUrl, new Set(types));
}

async function inDatabase(pool: Pool, types: readonly string[]): Promise<readonly Shape[]> {
  // The table `events` does not exist if all events are in EventStoreDB.
  const { rows: tables } = await pool.query("select to_regclass('events') is not null as exists");
  if (!tables[0]?.exists) return [];
  const { rows } = await pool.query<Shape>(
    'select type, max(schema) as schema from events where type = any ($1) group by type order by type',
    [types],
  );
  return rows;
}

async function inEventStore(url: string, types: ReadonlySet<string>): Promise<readonly Shape[]> {
  const { KurrentLog } = await import('../kurrent/kurrent.log.js');
  const log = new KurrentLog(url, (text) => hash('sha256', text));
  const newest = new Map<string, number>();
  try {
    for await (const events of log.after(0n, new AbortController().signal))
      for (const { type, schema } of events)
        if (types.has(type)) newest.set(type, Math.max(schema, newest.get(type) ?? 0));
  } finally {
    await log.close();
  }
  return [...newest].sort().map(([type, schema]) => ({ type, schema }));
}

/**
 * Version of the format of tables, packs and keys. Increase it if the previous version would misread or damage the
 * new data, so that the previous version refuses to start. A new table, or a new column with a default, does not
 * require an increase.
 */
const DATA_VERSION = 1;
/** Name under which the table of event types stores the data version. No event type has this name. */
const DATA = '(data)';

const SCHEMA = `
create table if not exists written_shapes (
  type   text primary key, -- an event type, or ${DATA}
  schema integer not null  -- newest schema that any version run here could write
);`;

/** Thrown if a newer version wrote data that this version cannot read. The message says what to do. */
export class NewerDataError extends Error {
  override readonly name = 'NewerDataError';
}

/**
 * Throws `NewerDataError`, before changing anything, if a newer version wrote data that this version cannot read. Every
 * version records the event types that it can write. For a recorded type that this version does not know, the log is
 * searched, so a downgrade is possible until the first event of that type.
 */
export async function refuseNewerData(
  pool: Pool,
  { catalogue, eventStoreUrl }: { readonly catalogue: Catalogue; readonly eventStoreUrl: string | null },
): Promise<void> {
  const { rows: tables } = await pool.query("select to_regclass('written_shapes') is not null as exists");
  if (!tables[0]?.exists) return;
  const { rows } = await pool.query<Shape>('select type, schema from written_shapes order by type');
  const data = rows.find(({ type }) => type === DATA)?.schema ?? DATA_VERSION;
  if (data > DATA_VERSION)
    throw new NewerDataError(explain(`a newer data format (${data}; this version supports up to ${DATA_VERSION})`));
  const unknown = rows.filter(({ type, schema }) => type !== DATA && catalogue.knows(type, schema) !== 'known');
  if (unknown.length === 0) return;
  const found = (await shapesInLog(pool, eventStoreUrl, unknown)).filter(
    ({ type, schema }) => catalogue.knows(type, schema) !== 'known',
  );
  if (found.length > 0) throw new NewerDataError(explain(`events that this version cannot read (${namesOf(found)})`));
}

/** Records the event types that this version can write, with their latest schema versions. */
export async function noteWrittenShapes(pool: Pool, catalogue: Catalogue): Promise<void> {
  const client = await pool.connect();
  try {
    await noteIn(client, [...catalogue.types, { type: DATA, schema: DATA_VERSION }]);
  } finally {
    client.release();
  }
}

async function noteIn(client: PoolClient, shapes: readonly Shape[]) {
  await createSchema(client, 'stele written shapes schema', SCHEMA);
  await client.query(
    `insert into written_shapes (type, schema) select * from unnest($1::text[], $2::integer[]) as given (type, schema)
     on conflict (type) do update set schema = excluded.schema where written_shapes.schema < excluded.schema`,
    [shapes.map(({ type }) => type), shapes.map(({ schema }) => schema)],
  );
}

const namesOf = (shapes: readonly Shape[]) => {
  const names = shapes.map(({ type, schema }) => (schema > 1 ? `${type} version ${schema}` : type));
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
};

const explain = (what: string) =>
  `A newer version of Stele has used this data and left ${what}. Nothing was changed.\nStart that version or a later one. To return to this version, restore a backup of the data from before the upgrade.`;
