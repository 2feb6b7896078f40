import { type Client, DatabaseError } from 'pg';
import type { Head, RawEvent } from '../../../kernel/event-store.js';
import { integerArray, textArray } from '../../postgres/array-parameter.js';
import { QUERY_TIMEOUT } from '../../postgres/retry.js';
import { HeadCache } from './head-cache.js';
import { APPEND_KNOWN, APPEND_ONE, NOTIFY_LAST_APPENDED } from './postgres.schema.js';

const BATCH = {
  name: 'append_batch',
  text: 'select positions, refused from append_batch($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)',
  rowMode: 'array' as const,
  ...QUERY_TIMEOUT,
};
const ONE = { ...BATCH, name: 'append_one', text: APPEND_ONE };
const ONE_KNOWN = { ...BATCH, name: 'append_known', text: APPEND_KNOWN };
const NOTIFY = { ...BATCH, name: 'append_notify', text: NOTIFY_LAST_APPENDED };

/**
 * Events to append to a stream, and the head (revision and hash of the last event) that the stream must have for the
 * append to succeed.
 */
export type PendingAppend = { readonly head: Head; readonly events: readonly RawEvent[] };

export type AppendResults = readonly [positions: readonly string[], refused: readonly string[]];

/**
 * A connection for appends. Caches the heads (last events) of the streams written through it. The cache remains valid
 * while the connection is open.
 */
export class AppendSession {
  readonly #heads = new HeadCache();
  #hasAppended = false;

  constructor(private readonly client: Client) {}

  /** Writes a batch of appends, at most one per stream. If `notifies` is true, also notifies other processes. */
  async write(batch: readonly PendingAppend[], notifies: boolean): Promise<AppendResults> {
    const written = (await this.#tryFast(batch, notifies)) ?? (await this.#batch(batch, false, notifies));
    if (written[0].length > 0) this.#hasAppended = true;
    for (const { events } of batch) {
      const last = events.at(-1);
      if (last && !written[1].includes(last.stream)) this.#heads.set(last.stream, last);
    }
    return written;
  }

  async notify(): Promise<void> {
    if (this.#hasAppended) await this.client.query(NOTIFY);
  }

  async end(): Promise<void> {
    await this.client.end();
  }

  /**
   * Tries a faster statement first: a plain insert for a single event, or an insert without a check of heads if all
   * heads are known. Returns undefined if neither is possible or a stream has grown. The caller must then use the
   * statement that checks the heads.
   */
  async #tryFast(batch: readonly PendingAppend[], notifies: boolean): Promise<AppendResults | undefined> {
    const known = batch.every(this.#isKnown);
    const [event, ...others] = batch.flatMap(({ events }) => events);
    try {
      if (event && others.length === 0) return await this.#one(event, known, notifies);
      if (known) return await this.#batch(batch, known, notifies);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== '23505') throw error;
    }
    return undefined;
  }

  /**
   * Reports whether the stream certainly had this head at some time. If it has grown since, its unique key rejects the
   * append. Always false for a stream without a hash chain, because its events may have been dropped together with
   * their keys.
   */
  #isKnown = ({ head, events: [first] }: PendingAppend): boolean => {
    if (!first || first.hash === null) return false;
    return head.revision === 0 || this.#heads.hashAt(first.stream, head.revision) === head.hash;
  };

  async #one(event: RawEvent, known: boolean, notifies: boolean): Promise<AppendResults> {
    const { stream, revision, id, type, schema, at, actor, data, hash, previousHash } = event;
    const values = [stream, revision, id, type, schema, at, actor, data, hash, previousHash, notifies];
    const { rows } = await this.client.query<[string, unknown]>({ ...(known ? ONE_KNOWN : ONE), values });
    return rows[0] ? [[rows[0][0]], []] : [[], [stream]];
  }

  async #batch(batch: readonly PendingAppend[], known: boolean, notifies: boolean): Promise<AppendResults> {
    const values = [...parameters(batch, known), notifies];
    const { rows } = await this.client.query<[string[], string[]]>({ ...BATCH, values });
    return rows[0] ?? [[], []];
  }
}

function parameters(batch: readonly PendingAppend[], known: boolean): Buffer[] {
  const events = batch.flatMap(({ events }) => events);
  return [
    textArray(events.map((event) => event.stream)),
    integerArray(known ? [] : batch.flatMap(({ head, events }) => events.map(() => head.revision))),
    integerArray(events.map((event) => event.revision)),
    textArray(events.map((event) => event.id)),
    textArray(events.map((event) => event.type)),
    integerArray(events.map((event) => event.schema)),
    textArray(events.map((event) => event.at)),
    textArray(events.map((event) => event.actor)),
    textArray(events.map((event) => event.data)),
    textArray(events.map((event) => event.hash)),
    textArray(events.map((event) => event.previousHash)),
  ];
}
