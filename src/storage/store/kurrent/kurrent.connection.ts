import esdb, {
  type AppendExpectedRevision,
  type AppendResult,
  type Direction,
  type EventData,
  type ReadPosition,
  type ReadRevision,
} from '@eventstore/db-client';
import { alreadyGone, heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { readAvailable } from '../read-available.js';
import { type KurrentAddress, kurrentAddress } from './kurrent.address.js';
import { type ReceivedEvent, UnusableEventError, withoutPrefix } from './kurrent.envelope.js';

/** Time limit of one call to the server. A caller that can wait longer repeats the call. */
const CALL_TIMEOUT_MS = 5_000;

/** Number of events buffered for a slow reader. No more events are requested while the buffer is full. */
const BUFFERED_EVENTS = 32;

/** Thrown if the server did not respond in full. The call may still have taken effect. */
class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
}

/**
 * Thrown if the log has no event at a reader’s position, because the position is from another log or from a part that
 * was cut off.
 */
export class UnknownPositionError extends Error {
  override readonly name = 'UnknownPositionError';

  constructor(readonly position: bigint) {
    super(`The event store has no event at position ${position}.`);
  }
}

/** Errors caused by the request itself. All others come from the connection or cluster and may be transient. */
const PERMANENT = [
  esdb.WrongExpectedVersionError,
  esdb.StreamNotFoundError,
  esdb.StreamDeletedError,
  esdb.AccessDeniedError,
  esdb.MaxAppendSizeExceededError,
  esdb.InvalidTransactionError,
  esdb.InvalidArgumentError,
  UnusableEventError,
  UnknownPositionError,
  TypeError,
  RangeError,
];

/** The gRPC codes INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED. */
const PERMANENT_CODES = new Set<unknown>([3, 7, 12, 16]);

/** The gRPC codes for an unknown position: UNKNOWN or INVALID_ARGUMENT, depending on the server version. */
const POSITION_CODES = new Set<unknown>([2, 3]);

/** Reports whether retrying the same call might succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoResponseError) return true;
  if (PERMANENT.some((kind) => error instanceof kind)) return false;
  return !(typeof error === 'object' && error !== null && 'code' in error && PERMANENT_CODES.has(error.code));
}

/**
 * A client that limits the time of every call. By default, the library reads without a deadline, and an append that
 * gets an empty response never completes. All calls go to the leader, so that reads see all earlier writes.
 */
export class KurrentConnection {
  readonly location: string;
  readonly #prefix: string;
  readonly #client: InstanceType<typeof esdb.EventStoreDBClient>;
  readonly #call: { readonly credentials: KurrentAddress['credentials']; readonly requiresLeader: true };

  /** Prepares a client without connecting. Throws `EventStoreAddressError`. */
  constructor(address: string) {
    const { url, credentials, location, streamPrefix } = kurrentAddress(address);
    this.location = location;
    this.#prefix = streamPrefix;
    this.#client = esdb.EventStoreDBClient.connectionString(url);
    this.#call = { credentials, requiresLeader: true };
  }

  /** Appends after event number `revision` (counted from 1), 0 for an empty stream, or `any` to skip the check. */
  append(
    stream: string,
    revision: number | 'any',
    events: EventData[],
    timeout = CALL_TIMEOUT_MS,
  ): Promise<AppendResult> {
    const expectedRevision: AppendExpectedRevision =
      revision === 'any' ? esdb.ANY : revision === 0 ? esdb.NO_STREAM : BigInt(revision - 1);
    const options = { ...this.#call, expectedRevision, deadline: timeout };
    return withTimeout(this.#client.appendToStream(this.#prefix + stream, events, options), timeout + 500);
  }

  /** Hides events up to and including number `revision` (counted from 1) from readers of the stream. */
  async truncateBefore(stream: string, revision: number): Promise<void> {
    const options = { ...this.#call, deadline: CALL_TIMEOUT_MS };
    const truncateBefore = { truncateBefore: revision };
    await withTimeout(
      this.#client.setStreamMetadata(this.#prefix + stream, truncateBefore, options),
      CALL_TIMEOUT_MS + 500,
    );
  }

  /**
   * Reads up to `limit` events, forwards from number `from` (counted from 1) or backwards from the end. Yields
   * nothing if the stream does not exist.
   */
  async *readStream(
    stream: string,
    from: number | 'end',
    limit: number,
    signal = new AbortController().signal,
  ): AsyncIterable<readonly ReceivedEvent[]> {
    const fromRevision: ReadRevision = from === 'end' ? esdb.END : BigInt(Math.max(0, from - 1));
    const direction: Direction = from === 'end' ? esdb.BACKWARDS : esdb.FORWARDS;
    const options = { ...this.#call, fromRevision, direction, maxCount: limit };
    const reading = this.#client.readStream(this.#prefix + stream, options, { highWaterMark: BUFFERED_EVENTS });
    try {
      yield* this.#withoutPrefix(
        failOnSilence(readAvailable(reading, () => reading.cancel(), CALL_TIMEOUT_MS, signal)),
      );
    } catch (error) {
      if (!(error instanceof esdb.StreamNotFoundError)) throw error;
    }
  }

  /**
   * Reads the whole log from a position, or backwards from the end, including the server’s own events. Events without
   * our prefix have only a position. Throws `UnknownPositionError`.
   */
  readAll(
    from: bigint | 'end',
    limit?: number,
    signal = new AbortController().signal,
  ): AsyncIterable<readonly ReceivedEvent[]> {
    const fromPosition: ReadPosition = from === 'end' ? esdb.END : readPositionAt(from);
    const direction: Direction = from === 'end' ? esdb.BACKWARDS : esdb.FORWARDS;
    const options = { ...this.#call, fromPosition, direction, ...(limit !== undefined && { maxCount: limit }) };
    const reading = this.#client.readAll(options, { highWaterMark: BUFFERED_EVENTS });
    const batches = failOnSilence(readAvailable(reading, () => reading.cancel(), CALL_TIMEOUT_MS, signal));
    return this.#withoutPrefix(from === 'end' || from === 0n ? batches : this.#from(from, batches));
  }

  /**
   * Yields new events after a position, except for the server’s own events, until `signal` aborts. Yields an empty list
   * whenever nothing has arrived for `idleMs`. Throws `UnknownPositionError`.
   */
  subscribe(after: bigint, idleMs: number, signal: AbortSignal): AsyncIterable<readonly ReceivedEvent[]> {
    const filter = this.#prefix ? esdb.streamNameFilter({ prefixes: [this.#prefix] }) : esdb.excludeSystemEvents();
    const options = { ...this.#call, fromPosition: readPositionAt(after), filter };
    const reading = this.#client.subscribeToAll(options, { highWaterMark: BUFFERED_EVENTS });
    const batches = readAvailable(reading, () => reading.unsubscribe(), idleMs, signal);
    return this.#withoutPrefix(after === 0n ? batches : this.#from(after, batches));
  }

  /**
   * Throws `UnknownPositionError` if reading from the position fails although the end of the log can be read. The
   * server’s error code is not enough, because it also has other causes.
   */
  async *#from(position: bigint, batches: AsyncIterable<readonly ReceivedEvent[]>) {
    let hasBegun = false;
    try {
      for await (const batch of batches) {
        hasBegun ||= batch.length > 0;
        yield batch;
      }
    } catch (error) {
      const isRefused =
        typeof error === 'object' && error !== null && 'code' in error && POSITION_CODES.has(error.code);
      if (hasBegun || !isRefused) throw error;
      for await (const _ of this.readAll('end', 1)) break;
      throw new UnknownPositionError(position);
    }
  }

  async *#withoutPrefix(batches: AsyncIterable<readonly ReceivedEvent[]>): AsyncIterable<readonly ReceivedEvent[]> {
    if (!this.#prefix) return yield* batches;
    for await (const batch of batches) yield batch.map((received) => withoutPrefix(received, this.#prefix));
  }

  async close(): Promise<void> {
    await withTimeout(this.#client.dispose(), 1_000).catch(alreadyGone);
  }
}

/** Commit and prepare positions differ only in transactions that span several calls, which we do not use. */
const readPositionAt = (position: bigint): ReadPosition =>
  position === 0n ? esdb.START : { commit: position, prepare: position };

async function* failOnSilence<Item>(batches: AsyncIterable<readonly Item[]>): AsyncIterable<readonly Item[]> {
  for await (const batch of batches) {
    if (batch.length === 0)
      throw new NoResponseError('The event store stopped responding in the middle of a response.');
    yield batch;
  }
}

async function withTimeout<Answer>(call: Promise<Answer>, milliseconds: number): Promise<Answer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoResponseError('The event store is not responding.')), milliseconds);
  try {
    return await Promise.race([call, timedOut]);
  } finally {
    clearTimeout(timer);
    call.catch(heardElsewhere);
  }
}
