import { setTimeout as pause } from 'node:timers/promises';
import esdb from '@eventstore/db-client';
import type { RawEvent } from '../../../kernel/event-store.js';
import type { Digest } from '../../../kernel/hashing/chain.js';
import { PATIENCE_MS, RETRY_PAUSE_MS, withRetry } from '../../postgres/retry.js';
import { LogMismatchError, type PositionedEvent, WholeLog } from '../whole-log.js';
import { DROPPED_STREAM, DroppedEvents } from './dropped-events.js';
import { isTransient, KurrentConnection } from './kurrent.connection.js';
import { isOurs, type ReceivedEvent, readPosition, toPositioned, toWire } from './kurrent.envelope.js';

/** Limits of one append. By default, the server rejects more than 1 MiB. */
const MAX_BYTES = 900_000;
const MAX_EVENTS = 500;

/** The log of a `KurrentEngine`, for copying it. Throws if it contains events of other programs. */
export class KurrentLog extends WholeLog {
  readonly #connection: KurrentConnection;
  readonly #dropped: DroppedEvents;

  /** Streams that are known to have events, so that each stream is looked up only once. */
  readonly #nonEmpty = new Set<string>();

  /** Throws `EventStoreAddressError`. */
  constructor(
    url: string,
    private readonly digest: Digest,
  ) {
    super();
    this.#connection = new KurrentConnection(url);
    this.#dropped = new DroppedEvents(this.#connection);
  }

  override get description() {
    return `KurrentDB at ${this.#connection.location}`;
  }

  override async *after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]> {
    for (let deadline = performance.now() + PATIENCE_MS; ; ) {
      try {
        await this.#dropped.refresh();
        for await (const received of this.#connection.readAll(position, undefined, signal)) {
          const events = received.filter(
            (each) => belongsToLog(each) && !this.#dropped.has(each) && readPosition(each) > position,
          );
          deadline = performance.now() + PATIENCE_MS;
          position = received.map(readPosition).at(-1) ?? position;
          if (events.length > 0) yield events.map(toPositioned);
        }
        return;
      } catch (error) {
        if (!isTransient(error) || performance.now() > deadline) throw error;
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  override last = () =>
    withRetry(async () => {
      await this.#dropped.refresh();
      for await (const received of this.#connection.readAll('end')) {
        const ours = received.find((each) => isOurs(each) && !this.#dropped.has(each));
        if (ours) return readPosition(ours);
      }
      return 0n;
    }, isTransient);

  /** Appends sequentially to preserve the order. The server recognizes repeated events by their IDs. */
  override async append(events: readonly RawEvent[]): Promise<void> {
    for (const run of runs(events)) {
      const [first] = run;
      if (!first) continue;
      const wire = run.map((event) => toWire(this.digest, event));
      try {
        await this.#fillDropped(first);
        await withRetry(() => this.#connection.append(first.stream, first.revision - 1, wire), isTransient);
      } catch (error) {
        if (!(error instanceof esdb.WrongExpectedVersionError)) throw error;
        throw new LogMismatchError(
          `Event ${first.revision} is not the next event of stream ${first.stream} in ${this.description}.`,
        );
      }
    }
  }

  /** Replaces dropped first events with empty ones, because the server numbers events from a stream’s first event. */
  async #fillDropped({ stream, revision }: RawEvent): Promise<void> {
    if (revision === 1 || this.#nonEmpty.has(stream)) return;
    this.#nonEmpty.add(stream);
    for await (const found of this.#connection.readStream(stream, 'end', 1)) if (found.length > 0) return;
    const fill = (n: number) =>
      toWire(this.digest, { ...EMPTY, id: `${stream} ${n}`, stream, revision: n, hash: null, previousHash: null });
    await withRetry(() => this.#dropped.drop(stream, revision - 1), isTransient);
    for (let from = 1; from < revision; from += MAX_EVENTS) {
      const events = Array.from({ length: Math.min(MAX_EVENTS, revision - from) }, (_, n) => fill(from + n));
      await withRetry(() => this.#connection.append(stream, from - 1, events), isTransient);
    }
  }

  override close = () => this.#connection.close();
}

const EMPTY = { type: 'Dropped', schema: 0, at: '1970-01-01T00:00:00.000Z', actor: '{"kind":"system"}', data: '{}' };

/** Reports whether an event is ours and is not a record of dropped events. */
const belongsToLog = ({ event }: ReceivedEvent) =>
  event !== undefined && !event.type.startsWith('$') && event.streamId !== DROPPED_STREAM;

/** Splits events into runs of consecutive events of one stream. Each run is small enough for a single append. */
function* runs(events: readonly RawEvent[]): Iterable<readonly RawEvent[]> {
  let run: RawEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.data) + 1_000;
    const goesOn = run.at(-1)?.stream === event.stream && run.at(-1)?.revision === event.revision - 1;
    if (run.length > 0 && (!goesOn || bytes + size > MAX_BYTES || run.length === MAX_EVENTS)) {
      yield run;
      run = [];
      bytes = 0;
    }
    run.push(event);
    bytes += size;
  }
  if (run.length > 0) yield run;
}
