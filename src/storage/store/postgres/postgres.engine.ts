import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool, QueryConfig } from 'pg';
import {
  type Appended,
  EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type RawEvent,
  type Recorded,
} from '../../../kernel/event-store.js';
import { copyConnectionOptions } from '../../postgres/connection-options.js';
import { createSchema } from '../../postgres/create-schema.js';
import type { AppendedEvent, LogStatements, Statement } from '../../postgres/log-statements.js';
import { QUERY_TIMEOUT, retryUntilAborted, withRetry } from '../../postgres/retry.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';
import { PAGE, TailReader } from '../tail-reader.js';
import { AppendConnection } from './append-connection.js';
import { AppendListener } from './append-listener.js';
import { buildAppendStatement } from './append-with.js';
import { BatchWriter } from './batch-writer.js';
import { COLUMNS, type EventRow, toRaw } from './event-row.js';
import { readEventPages } from './postgres.pages.js';
import { scan } from './postgres.scan.js';
import { SCHEMA, SCHEMA_LOCK } from './postgres.schema.js';
import { AppendCache, type RecentAppend } from './recent-appends.js';

/** Statements that are prepared by name, once per connection. */
const READ = {
  name: 'events_read',
  text: `select ${COLUMNS} from events where stream = $1 and revision >= $2 order by revision`,
};
const HEAD = {
  name: 'events_head',
  text: 'select revision, hash from events where stream = $1 order by revision desc limit 1',
};
const EXISTING = {
  name: 'events_standing',
  text: 'select id, position, revision, hash from events where stream = $1 and revision > $2 order by revision limit $3',
};
const SLICE = {
  name: 'events_slice',
  text: `select ${COLUMNS} from events where stream = $1 and revision > $2 order by revision limit $3`,
};
const WATCH = {
  name: 'events_watch',
  text: `select ${COLUMNS} from events where stream = $1 and revision > $2 order by revision limit ${PAGE}`,
};
const FOLLOW = {
  name: 'events_follow',
  text: `select ${COLUMNS} from events where position > $1 order by position limit ${PAGE}`,
};
const TRUNCATE = { name: 'events_truncate', text: 'delete from events where stream = $1 and revision <= $2' };
const LAST = { name: 'events_last', text: 'select coalesce(max(position), 0) as position from events' };

/** Placeholder for a stream name that only becomes known when the append runs. */
const ELSEWHERE = '';

/** Polling interval in milliseconds, and maximum delay of an event whose notification was lost. */
const POLL = 250;

/**
 * Stores events in PostgreSQL, which any number of processes can share. Positions become visible in order, so readers
 * only need `position > last`. They are woken by LISTEN/NOTIFY, and also poll every 250 ms. The caller closes the pool.
 */
export class PostgresEngine extends EventStore implements LogStatements {
  readonly #pool: Pool;
  readonly #recording: Recording;
  readonly #stopped = new AbortController();
  readonly #appendListener = new AppendListener();
  readonly #recent = new AppendCache();
  readonly #appendConnection: AppendConnection;
  readonly #writer: BatchWriter;
  readonly #tail: TailReader;
  #listening: Promise<void> | undefined;

  constructor({ pool, ...recording }: { readonly pool: Pool } & Recording) {
    super();
    this.#pool = pool;
    this.#recording = recording;
    this.#appendConnection = new AppendConnection(pool);
    this.#writer = new BatchWriter(this.#appendConnection, (events) => this.#written(events));
    this.#tail = new TailReader(
      () => retryUntilAborted(this.#lastPosition, this.#stopped.signal),
      (after, signal) => this.#newPages(after, signal),
      this.#stopped.signal,
    );
  }

  /**
   * Creates missing parts of the database, and starts listening. Unless the pool has other settings, a connection
   * attempt times out after 5 s. Transactions that are idle for 15 s are ended, because they prevent vacuuming.
   */
  async start(_signal?: AbortSignal): Promise<void> {
    this.#pool.on('error', () => undefined); // An idle connection was lost. The next query opens a new one.
    this.#pool.options.connectionTimeoutMillis ||= 5_000;
    this.#pool.options.idle_in_transaction_session_timeout ||= 15_000;
    await withRetry(() => createSchema(this.#pool, SCHEMA_LOCK, SCHEMA));
    this.#listening = this.#appendListener.listen(copyConnectionOptions(this.#pool), this.#stopped.signal);
  }

  /** Completes appends in progress, ends all readers, and stops listening. */
  async stop(): Promise<void> {
    await this.#writer.close();
    await this.#appendConnection.close();
    this.#stopped.abort();
    await this.#listening;
  }

  override async read(stream: string, revision = 0) {
    const rows = await this.#queryWithRetry(READ, [stream, revision]);
    const newer = rows[0]?.revision === revision ? rows.slice(1) : rows;
    const last = rows.at(-1) ?? (revision > 0 ? (await this.#queryWithRetry(HEAD, [stream]))[0] : undefined);
    const head: Head = last ? { revision: last.revision, hash: last.hash } : emptyStream;
    return { events: newer.map(this.#fromRow), head };
  }

  override page = async (stream: string, revision: number, limit: number) =>
    (await this.#queryWithRetry(SLICE, [stream, revision, limit])).map(this.#fromRow);

  override async append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'> {
    const stored = toStored(this.#recording, stream, head, events);
    const outcome = await this.#writer.append(head, stored);
    return outcome === 'refused' ? this.#alreadyAppended(stored) : outcome;
  }

  appendingWith(rows: Statement, events: readonly AppendedEvent[]): Statement {
    const storedOf = ({ stream: column, revision, event }: AppendedEvent) =>
      toStored(this.#recording, ELSEWHERE, { revision, hash: null }, [event]).map((stored) => ({
        column,
        event: stored,
      }));
    return buildAppendStatement(rows, events.flatMap(storedOf));
  }

  override follow = (position: bigint, signal: AbortSignal) =>
    this.#tail.read(
      null,
      position,
      (event) => event.position,
      (after, ended) => this.#page(FOLLOW, [after], ended),
      signal,
    );

  override scan = (position: bigint, last: bigint, signal: AbortSignal) =>
    scan(this.#pool, this.#recording.catalogue, position, last, signal);

  override watch = (stream: string, revision: number, signal: AbortSignal) =>
    this.#tail.read(
      stream,
      revision,
      (event) => event.revision,
      (after, ended) => this.#page(WATCH, [stream, after], ended),
      signal,
    );

  override async *raw(stream: string): AsyncIterable<readonly RawEvent[]> {
    const last = (await this.#queryWithRetry(HEAD, [stream]))[0]?.revision;
    if (last !== undefined)
      for await (const rows of readEventPages(last, stream, this.#queryWithRetry)) yield rows.map(toRaw);
  }

  override async truncate(stream: string, revision: number) {
    if (this.#recording.isChained(stream))
      throw new TypeError(`${stream} has a hash chain, so its events are never dropped.`);
    await this.#queryWithRetry(TRUNCATE, [stream, revision]);
  }

  override lastPosition = () => withRetry(this.#lastPosition);

  #written(events: readonly RecentAppend[]) {
    this.#recent.add(events);
    this.#appendListener.reached(events.reduce((last, { position }) => (position > last ? position : last), 0n));
  }

  /** Yields events as the listener reports them, and polls for events that it missed. */
  async *#newPages(after: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    while (!signal.aborted) {
      const { latest } = this.#appendListener;
      // The notification of this process’s own append can arrive just before the response to the append.
      if (this.#recent.after(after, 1).length === 0) await nextTurn();
      const recent = this.#recent.after(after, PAGE);
      const page = recent.length > 0 ? recent.map(this.#fromRecent) : await this.#page(FOLLOW, [after], signal);
      const last = page?.at(-1);
      if (page && last) {
        after = last.position;
        this.#recent.forgetUpTo(after);
        yield page;
      }
      if (recent.length > 0) await this.#appendListener.waitPast(after, POLL, signal);
      else if ((page?.length ?? 0) < PAGE) await this.#appendListener.waitPast(latest, POLL, signal);
    }
  }

  /**
   * Called if an append was refused. If its events exist, an earlier attempt succeeded but its response was lost. In
   * that case, returns the result of the earlier attempt, otherwise `conflict`.
   */
  async #alreadyAppended(events: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    const [first] = events;
    if (!first) return 'conflict';
    const existing = await this.#queryWithRetry(EXISTING, [first.stream, first.revision - 1, events.length]);
    const last = existing.at(-1);
    if (!last || !events.every(({ id }, n) => id === existing[n]?.id)) return 'conflict';
    return { head: { revision: last.revision, hash: last.hash }, position: BigInt(last.position) };
  }

  #lastPosition = async () => BigInt((await this.#query(LAST, []))[0]?.position ?? 0);

  /** Retries a query while the database is unavailable. Resolves to undefined once `signal` aborts. */
  #page = async (query: QueryConfig, values: unknown[], signal: AbortSignal) =>
    (await retryUntilAborted(() => this.#query(query, values), signal))?.map(this.#fromRow);

  #queryWithRetry = (query: QueryConfig, values: unknown[]) => withRetry(() => this.#query(query, values));

  #query = async (query: QueryConfig, values: unknown[]) => {
    const { rows } = await this.#pool.query<EventRow>({ ...query, ...QUERY_TIMEOUT, values });
    return rows;
  };

  #fromRecent = ({ position, event }: RecentAppend): Recorded => toRecorded(this.#recording.catalogue, event, position);

  #fromRow = (row: EventRow): Recorded => toRecorded(this.#recording.catalogue, toRaw(row), BigInt(row.position));
}
