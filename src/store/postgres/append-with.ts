import type { RawEvent } from '../../kernel/event-store.js';
import type { Statement } from '../../postgres/log-statements.js';
import { APPEND_LOCK } from './postgres.schema.js';

/** Of what is sent of the event, in this order. */
const TYPES = ['integer', 'text', 'text', 'integer', 'text', 'text', 'text'];

/** By the text of `rows`: to make a long text anew for each append, and to look for it, costs more than the rest here. */
const texts = new Map<string, string>();

/**
 * Appends an event to the stream that `rows` answers, where it answers one. The lock is taken after that, and held to the
 * end of the transaction as for every append.
 */
export function appendWith(
  { text: rows, values }: Statement,
  { revision, id, type, schema, at, actor, data }: RawEvent,
): Statement {
  const text = texts.get(rows) ?? textOf(rows, values.length + 1);
  texts.set(rows, text);
  return { text, values: [...values, revision, id, type, schema, at, actor, data] };
}

const textOf = (rows: string, first: number) => `
with rows as (${rows}), locked as materialized (
  select stream, pg_advisory_xact_lock(${APPEND_LOCK}) from rows where stream is not null
), appended as (
  insert into events (stream, revision, id, type, schema, at, actor, data)
  select stream, ${TYPES.map((type, n) => `$${first + n}::${type}`).join(', ')} from locked
)
select * from rows`;
