import type { Pool, PoolClient } from 'pg';
import type { Catalogue } from '../../../events/event-type.js';
import { createSchema } from '../../postgres/create-schema.js';
import { type Shape, shapesInLog } from './shapes-in-log.js';

/**
 * Raised by one when a change to tables, packs or keys is such that the version before would misread or damage what
 * this one writes: an added table or a column with a default is not. It then no longer starts on the data.
 */
const DATA_VERSION = 1;
/** No event type has such a name. */
const DATA = '(data)';

const SCHEMA = `
create table if not exists written_shapes (
  type   text primary key, -- of events, or ${DATA}
  schema integer not null  -- the newest that a version which ran here could write
);`;

/** A newer version has written what this one cannot read. The message says what, and what to do. */
export class NewerData extends Error {
  override readonly name = 'NewerData';
}

/**
 * Refuses to work on data that only a newer version can read: with `NewerData`, before anything is changed. Every
 * version writes down which events it could write. Of those that this one does not know it is looked whether there are
 * any, so that going back is possible for as long as nothing was recorded that the older version would pass over.
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
    throw new NewerData(explain(`a newer data format (${data}; this version supports up to ${DATA_VERSION})`));
  const unknown = rows.filter(({ type, schema }) => type !== DATA && catalogue.knows(type, schema) !== 'known');
  if (unknown.length === 0) return;
  const found = (await shapesInLog(pool, eventStoreUrl, unknown)).filter(
    ({ type, schema }) => catalogue.knows(type, schema) !== 'known',
  );
  if (found.length > 0) throw new NewerData(explain(`events that this version cannot read (${namesOf(found)})`));
}

/** Writes down what this version may write, for versions before it. The newest stands; harmless to repeat. */
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
