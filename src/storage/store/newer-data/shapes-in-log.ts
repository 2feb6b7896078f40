import { hash } from 'node:crypto';
import type { Pool } from 'pg';

/** An event type with a schema version. */
export type Shape = { readonly type: string; readonly schema: number };

/** Returns those of the given types that occur in the log, each with its latest schema version. Reads the whole log. */
export async function shapesInLog(
  pool: Pool,
  eventStoreUrl: string | null,
  wanted: readonly Shape[],
): Promise<readonly Shape[]> {
  const types = wanted.map(({ type }) => type);
  return eventStoreUrl === null ? inDatabase(pool, types) : inEventStore(eventStoreUrl, new Set(types));
}

async function inDatabase(pool: Pool, types: readonly string[]): Promise<readonly Shape[]> {
  // The table does not exist if events have always been in EventStoreDB, and the wrong store is searched by mistake.
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
