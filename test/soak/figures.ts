import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';

/** Memory is in MiB, tables are in KiB. */
export type Figures = {
  readonly memory: number;
  readonly descriptors: number;
  readonly connections: number;
  readonly tables: number;
  readonly largest: readonly (readonly [name: string, kib: number])[];
};

/** Reads private memory, open files and connections of a process from /proc, and the size of tables (Linux). */
export async function figuresOf(pid: number, database: Client): Promise<Figures> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const descriptors = await readdir(join('/proc', String(pid), 'fd'));
  const connections = await database.query(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const tables = await database.query<{ name: string; kib: number }>(
    `select relname as name, (pg_total_relation_size(oid) / 1024)::int as kib from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 2 desc`,
  );
  return {
    memory: Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    descriptors: descriptors.length,
    connections: Number(connections.rows[0]?.count ?? 0),
    tables: tables.rows.reduce((sum, { kib }) => sum + kib, 0),
    largest: tables.rows.slice(0, 5).map(({ name, kib }) => [name, kib] as const),
  };
}

export const median = (numbers: readonly number[]) => quantile(numbers, 0.5);

/** Returns the quantile, or 0 for an empty list. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
