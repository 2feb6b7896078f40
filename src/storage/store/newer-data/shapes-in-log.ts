import { hash } from 'node:crypto';
import type { Pool } from 'pg';

/** A type of events in one version of its shape. */
export type Shape = { readonly type: string; readonly schema: number };

/** Which of these types the log has events of, each in the newest version that is there. It reads all of the log. */
export async function shapesInLog(
  pool: Pool,
  eventStoreUrl: string | null,
  wanted: readonly Shape[],
): Promise<readonly Shape[]> {
  const types = wanted.map(({ type }) => type);
  return eventStoreUrl === null ? inDatabase(pool, types) : inEventStore(eventStoreUrl, new Set(types));
}

async function inDatabase(pool: Pool, types: readonly string[]): Promise<readonly Shape[]> {
  // Where events were in EventStoreDB from the beginning, and are looked for here by mistake, there is no such table.
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
