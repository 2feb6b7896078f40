import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { integerArray, textArray } from '../kernel/array-parameter.js';
import { isAway } from '../kernel/database-fault.js';
import { type Appended, type Head, type RawEvent, StoreUnavailable } from '../kernel/event-store.js';
import { storageError } from '../kernel/storage-full.js';
import type { AppendConnection, AppendSession } from './append-connection.js';
import { ANSWER_IN_TIME, PATIENCE, RETRY_PAUSE } from './database-away.js';
import type { Fresh } from './fresh-events.js';
import { APPEND_KNOWN, APPEND_ONE } from './postgres.schema.js';

/** A batch is closed once it holds this many events or characters of data; one append alone may hold more. */
const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Appends that are worth a batch beside the one that is being written. */
const CROWD = 8;

const APPEND = {
  name: 'append_batch',
  text: 'select positions, refused from append_batch($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)',
  rowMode: 'array' as const,
  ...ANSWER_IN_TIME,
};

const ONE = { name: 'append_one', text: APPEND_ONE, rowMode: 'array' as const, ...ANSWER_IN_TIME };
const ONE_KNOWN = { ...ONE, name: 'append_known', text: APPEND_KNOWN };

/** The positions of the events that were appended, in order, and the streams that were left out. */
type Written = readonly [positions: readonly string[], refused: readonly string[]];

type Append = {
  readonly head: Head;
  readonly events: readonly RawEvent[];
  readonly characters: number;
  /** When waiting longer is worse than not knowing, in milliseconds of this process's clock. */
  readonly deadline: number;
  readonly resolve: (outcome: Appended | 'refused') => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Writes what arrives while a batch is being written together in the next one: one round trip, one lock and one sync
 * to disk for all of them. Each append still has an outcome of its own.
 */
export class BatchWriter {
  #queue: Append[] = [];
  #woken: Promise<void> | undefined;
  #inFlight = 0;
  /** Streams of the batches that are being written. */
  readonly #busy = new Set<string>();
  #idle: (() => void) | undefined;
  #closed = false;

  constructor(
    private readonly connection: AppendConnection,
    /** Called with the events of each batch, once they can be read. */
    private readonly written: (events: readonly Fresh[]) => void,
  ) {}

  /**
   * Appends the events, one or more of one stream, if it stands at `head`; else answers `refused`, also when it was an
   * earlier try of this very append, whose answer was lost, that moved the stream on.
   */
  append(head: Head, events: readonly RawEvent[]): Promise<Appended | 'refused'> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'));
    const characters = events.reduce((sum, { data }) => sum + data.length, 0);
    const deadline = performance.now() + PATIENCE;
    return new Promise((resolve, reject) => {
      this.#queue.push({ head, events, characters, deadline, resolve, reject });
      this.#soon();
    });
  }

  /** Takes no more, and resolves when every append has its outcome. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length === 0 && this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Once the appends that belong to this turn of the event loop are there: they go together. */
  #soon(): void {
    this.#woken ??= nextTurn().then(() => {
      this.#woken = undefined;
      this.#writeOn();
    });
  }

  /**
   * One batch is there already when PostgreSQL is done with the other, so that it does not wait for us between them.
   * Two small ones would cost more than they bring: a second is begun only for a crowd, which is then halved.
   */
  #writeOn(): void {
    while (this.#queue.length > 0 && this.#inFlight < 2) {
      if (this.#inFlight === 1 && this.#queue.length < CROWD) return;
      const most = this.#inFlight === 0 && this.#queue.length >= 2 * CROWD ? this.#queue.length / 2 : MOST_EVENTS;
      const batch = this.#nextBatch(most);
      if (batch.length === 0) return;
      this.#inFlight++;
      for (const append of batch) this.#busy.add(streamOf(append));
      void this.#write(batch).then((answer) => {
        this.#inFlight--;
        for (const append of batch) this.#busy.delete(streamOf(append));
        answer();
        this.#soon();
      });
    }
    if (this.#queue.length === 0 && this.#inFlight === 0) this.#idle?.();
  }

  /** The oldest appends, each stream at most once. */
  #nextBatch(mostEvents: number): Append[] {
    const batch = new Map<string, Append>();
    const later: Append[] = [];
    let events = 0;
    let characters = 0;
    for (const append of this.#queue) {
      const fits = events + append.events.length <= mostEvents && characters + append.characters <= MOST_CHARACTERS;
      const stream = streamOf(append);
      if ((!fits && batch.size > 0) || batch.has(stream) || this.#busy.has(stream)) later.push(append);
      else {
        batch.set(stream, append);
        events += append.events.length;
        characters += append.characters;
      }
    }
    this.#queue = later;
    return [...batch.values()];
  }

  /** Resolves to a function that answers those whose append was written; whoever has to wait longer is in the queue again. */
  async #write(batch: readonly Append[]): Promise<() => void> {
    try {
      const session = await this.connection.session();
      const written = (await writeQuickly(session, batch)) ?? (await writeBatch(session, batch, false));
      return () => this.#answer(batch, written, session);
    } catch (error) {
      if (isAway(error)) await this.#tryLater(batch, error);
      else if (batch.length > 1) for (const append of batch) (await this.#write([append]))();
      else batch[0]?.reject(storageError(error));
      return nobody;
    }
  }

  #answer(batch: readonly Append[], [positions, refused]: Written, session: AppendSession): void {
    const fresh: Fresh[] = [];
    for (const append of batch) {
      const last = append.events.at(-1);
      if (!last || refused.includes(last.stream)) {
        append.resolve('refused');
        continue;
      }
      for (const event of append.events) fresh.push({ position: BigInt(positions[fresh.length] ?? 0), event });
      const head = { revision: last.revision, hash: last.hash };
      session.heads.saw(last.stream, head);
      append.resolve({ head, position: fresh.at(-1)?.position ?? 0n });
    }
    if (fresh.length > 0) this.written(fresh);
  }

  /** Back to the front of the queue: the same ids are harmless to send again. */
  async #tryLater(batch: readonly Append[], cause: unknown): Promise<void> {
    await pause(RETRY_PAUSE);
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const append of waiting) {
      if (append.deadline > performance.now()) this.#queue.push(append);
      else append.reject(new StoreUnavailable('The database does not answer.', { cause }));
    }
  }
}

const nobody = () => undefined;

const streamOf = (append: Append) => append.events[0]?.stream ?? '';

/**
 * Whether the stream is sure to have this head unless it went on, which its unique key tells. Of streams that are not
 * chained the beginning may have been dropped, and the key with it.
 */
function isKnown({ heads }: AppendSession, { head, events }: Append): boolean {
  const [first] = events;
  if (!first || first.hash === null) return false;
  return head.revision === 0 || heads.of(first.stream, head.revision) === head.hash;
}

/**
 * Without a look at heads that are known, or by the short way for one event that has no company; undefined when neither
 * will do, or a stream went on and somebody must look.
 */
async function writeQuickly(session: AppendSession, batch: readonly Append[]): Promise<Written | undefined> {
  const known = batch.every((append) => isKnown(session, append));
  const [event, ...others] = batch.flatMap(({ events }) => events);
  try {
    if (event && others.length === 0) return await writeOne(session, event, known);
    if (known) return await writeBatch(session, batch, known);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '23505') throw error;
  }
  return undefined;
}

async function writeOne(session: AppendSession, event: RawEvent, known: boolean): Promise<Written> {
  const { stream, revision, id, type, schema, at, actor, data, hash, previousHash } = event;
  const values = [stream, revision, id, type, schema, at, actor, data, hash, previousHash];
  const rows = await session.query<[string, unknown]>({ ...(known ? ONE_KNOWN : ONE), values });
  return rows[0] ? [[rows[0][0]], []] : [[], [stream]];
}

async function writeBatch(session: AppendSession, batch: readonly Append[], known: boolean): Promise<Written> {
  const rows = await session.query<[string[], string[]]>({ ...APPEND, values: parameters(batch, known) });
  return rows[0] ?? [[], []];
}

function parameters(batch: readonly Append[], known: boolean): Buffer[] {
  const events = batch.flatMap((append) => append.events);
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
