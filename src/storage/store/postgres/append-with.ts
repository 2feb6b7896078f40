import type { RawEvent } from '../../../kernel/event-store.js';
import type { Statement } from '../../postgres/log-statements.js';
import { APPEND_LOCK } from './postgres.schema.js';

/** PostgreSQL types of the values of an event, in order. */
const TYPES = ['integer', 'text', 'text', 'integer', 'text', 'text', 'text'];

/** An event, and the name of the column that contains the name of its stream. */
export type StoredAppend = { readonly column: string; readonly event: RawEvent };

/**
 * Caches combined SQL statements under the SQL of `rows`. Building the SQL for each append would cost more than the
 * rest of the append.
 */
const texts = new Map<string, string>();

/**
 * Builds a statement that appends events to the streams that the query `rows` returns. The append lock is acquired
 * after `rows` has run.
 */
export function buildAppendStatement(rows: Statement, appends: readonly StoredAppend[]): Statement {
  const columns = appends.map(({ column }) => column);
  const text = texts.get(rows.text) ?? textOf(rows, columns);
  texts.set(rows.text, text);
  const values = [...rows.values];
  for (const { event } of appends) {
    const { revision, id, type, schema, at, actor, data } = event;
    values.push(revision, id, type, schema, at, actor, data);
  }
  return { text, values };
}

function textOf({ before, text, values }: Statement, columns: readonly string[]): string {
  const first = (at: number) => values.length + 1 + at * TYPES.length;
  const given = (at: number) => TYPES.map((type, n) => `$${first(at) + n}::${type}`).join(', ');
  const events = columns.map((column, at) => `select ${column}, ${given(at)} from locked where ${column} is not null`);
  return `
with ${before ? `${before}, ` : ''}rows as (${text}), locked as materialized (
  select ${columns.join(', ')}, pg_advisory_xact_lock(${APPEND_LOCK}) from rows
  where ${columns.map((column) => `${column} is not null`).join(' or ')}
), appended as (
  insert into events (stream, revision, id, type, schema, at, actor, data)
  ${events.join(' union all ')}
)
select * from rows`;
}
