import { type Client, DatabaseError } from 'pg';
import type { Head, RawEvent } from '../../kernel/event-store.js';
import { integerArray, textArray } from '../../postgres/array-parameter.js';
import { ANSWER_IN_TIME } from '../../postgres/database-away.js';
import { HeadsSeen } from './head-cache.js';
import { APPEND_KNOWN, APPEND_ONE, RING } from './postgres.schema.js';

const BATCH = {
  name: 'append_batch',
  text: 'select positions, refused from append_batch($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)',
  rowMode: 'array' as const,
  ...ANSWER_IN_TIME,
};
const ONE = { ...BATCH, name: 'append_one', text: APPEND_ONE };
const ONE_KNOWN = { ...BATCH, name: 'append_known', text: APPEND_KNOWN };
const TELL = { ...BATCH, name: 'append_ring', text: RING };

/** Events for one stream, one or more, and where it has to stand. */
export type Asked = { readonly head: Head; readonly events: readonly RawEvent[] };

/** The positions of the events that were appended, in order, and the streams that were left out. */
export type Written = readonly [positions: readonly string[], refused: readonly string[]];

/** A connection, and the heads that were written over it: they stay for as long as it reaches the same server. */
export class AppendSession {
  readonly #heads = new HeadsSeen();

  constructor(private readonly client: Client) {}

  /** Appends to several streams, each at most once, and tells other processes of it if it `rings`. */
  async write(batch: readonly Asked[], rings: boolean): Promise<Written> {
    const written = (await this.#quickly(batch, rings)) ?? (await this.#batch(batch, false, rings));
    for (const { events } of batch) {
      const last = events.at(-1);
      if (last && !written[1].includes(last.stream)) this.#heads.saw(last.stream, last);
    }
    return written;
  }

  /** Tells other processes of what was appended over this connection. */
  async tell(): Promise<void> {
    await this.client.query(TELL);
  }

  async end(): Promise<void> {
    await this.client.end();
  }

  /**
   * Without a look at heads that are known, or by the short way for one event that has no company; undefined when
   * neither will do, or a stream went on and somebody must look.
   */
  async #quickly(batch: readonly Asked[], rings: boolean): Promise<Written | undefined> {
    const known = batch.every(this.#isKnown);
    const [event, ...others] = batch.flatMap(({ events }) => events);
    try {
      if (event && others.length === 0) return await this.#one(event, known, rings);
      if (known) return await this.#batch(batch, known, rings);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== '23505') throw error;
    }
    return undefined;
  }

  /**
   * Whether the stream is sure to have this head unless it went on, which its unique key tells. Of streams that are not
   * chained the beginning may have been dropped, and the key with it.
   */
  #isKnown = ({ head, events: [first] }: Asked): boolean => {
    if (!first || first.hash === null) return false;
    return head.revision === 0 || this.#heads.of(first.stream, head.revision) === head.hash;
  };

  async #one(event: RawEvent, known: boolean, rings: boolean): Promise<Written> {
    const { stream, revision, id, type, schema, at, actor, data, hash, previousHash } = event;
    const values = [stream, revision, id, type, schema, at, actor, data, hash, previousHash, rings];
    const { rows } = await this.client.query<[string, unknown]>({ ...(known ? ONE_KNOWN : ONE), values });
    return rows[0] ? [[rows[0][0]], []] : [[], [stream]];
  }

  async #batch(batch: readonly Asked[], known: boolean, rings: boolean): Promise<Written> {
    const values = [...parameters(batch, known), rings];
    const { rows } = await this.client.query<[string[], string[]]>({ ...BATCH, values });
    return rows[0] ?? [[], []];
  }
}

function parameters(batch: readonly Asked[], known: boolean): Buffer[] {
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
