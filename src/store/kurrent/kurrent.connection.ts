import esdb, {
  type AppendExpectedRevision,
  type AppendResult,
  type Direction,
  type EventData,
  type ReadPosition,
  type ReadRevision,
} from '@eventstore/db-client';
import { alreadyGone, heardElsewhere } from '../../kernel/ignored-fault.js';
import { readAvailable } from '../read-available.js';
import { type KurrentAddress, kurrentAddress } from './kurrent.address.js';
import { type ReceivedEvent, UnusableEvent, withoutPrefix } from './kurrent.envelope.js';

/** How long one try is given, in milliseconds; a caller who waits longer tries again. */
const ANSWER_WITHIN = 5_000;

/** Events that wait here for whoever reads them slowly; the server is not asked for more. */
const WAITING = 32;

/** The server did not answer, or ended its answer before it was whole: nothing says whether it has done what was asked. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What the server says of the question itself. Everything else may pass: it is the connection’s, or the cluster’s. */
const DEFINITE = [
  esdb.WrongExpectedVersionError,
  esdb.StreamNotFoundError,
  esdb.StreamDeletedError,
  esdb.AccessDeniedError,
  esdb.MaxAppendSizeExceededError,
  esdb.InvalidTransactionError,
  esdb.InvalidArgumentError,
  UnusableEvent,
  TypeError,
  RangeError,
];

/** gRPC’s codes for the same: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const DEFINITE_CODES = new Set<unknown>([3, 7, 12, 16]);

/** Whether asking the same again may help. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  if (DEFINITE.some((kind) => error instanceof kind)) return false;
  return !(typeof error === 'object' && error !== null && 'code' in error && DEFINITE_CODES.has(error.code));
}

/**
 * The client, with a bound on every wait: it leaves readings without a deadline, and an append whose answer says
 * nothing pending for ever. All questions go to the leader, so that what was written can be read.
 */
export class KurrentConnection {
  readonly place: string;
  readonly #prefix: string;
  readonly #client: InstanceType<typeof esdb.EventStoreDBClient>;
  readonly #call: { readonly credentials: KurrentAddress['credentials']; readonly requiresLeader: true };

  /** Throws `EventStoreAddressFault`. Nothing is asked of the server yet. */
  constructor(address: string) {
    const { url, credentials, place, streamPrefix } = kurrentAddress(address);
    this.place = place;
    this.#prefix = streamPrefix;
    this.#client = esdb.EventStoreDBClient.connectionString(url);
    this.#call = { credentials, requiresLeader: true };
  }

  /** After the stream’s event number `revision`, counted from 1; 0 for a stream that has none, `any` wherever it stands. */
  append(stream: string, revision: number | 'any', events: EventData[], within = ANSWER_WITHIN): Promise<AppendResult> {
    const expectedRevision: AppendExpectedRevision =
      revision === 'any' ? esdb.ANY : revision === 0 ? esdb.NO_STREAM : BigInt(revision - 1);
    const options = { ...this.#call, expectedRevision, deadline: within };
    return inTime(this.#client.appendToStream(this.#prefix + stream, events, options), within + 500);
  }

  /** Readers of the stream are shown nothing of it any more up to event number `revision`, counted from 1, and with it. */
  async hideBefore(stream: string, revision: number): Promise<void> {
    const options = { ...this.#call, deadline: ANSWER_WITHIN };
    const truncateBefore = { truncateBefore: revision };
    await inTime(this.#client.setStreamMetadata(this.#prefix + stream, truncateBefore, options), ANSWER_WITHIN + 500);
  }

  /** A stream from event number `from` on, counted from 1, or from its end backwards. Nothing for a stream that is not there. */
  async *stream(
    stream: string,
    from: number | 'end',
    most: number,
    signal = new AbortController().signal,
  ): AsyncIterable<readonly ReceivedEvent[]> {
    const fromRevision: ReadRevision = from === 'end' ? esdb.END : BigInt(Math.max(0, from - 1));
    const direction: Direction = from === 'end' ? esdb.BACKWARDS : esdb.FORWARDS;
    const options = { ...this.#call, fromRevision, direction, maxCount: most };
    const reading = this.#client.readStream(this.#prefix + stream, options, { highWaterMark: WAITING });
    try {
      yield* this.#named(talking(readAvailable(reading, () => reading.cancel(), ANSWER_WITHIN, signal)));
    } catch (error) {
      if (!(error instanceof esdb.StreamNotFoundError)) throw error;
    }
  }

  /**
   * The whole log from a position on and with it, or from its end backwards; what the server keeps for itself is in it,
   * and of others with another prefix the positions, without the events.
   */
  all(
    from: bigint | 'end',
    most?: number,
    signal = new AbortController().signal,
  ): AsyncIterable<readonly ReceivedEvent[]> {
    const fromPosition: ReadPosition = from === 'end' ? esdb.END : placeAt(from);
    const direction: Direction = from === 'end' ? esdb.BACKWARDS : esdb.FORWARDS;
    const options = { ...this.#call, fromPosition, direction, ...(most !== undefined && { maxCount: most }) };
    const reading = this.#client.readAll(options, { highWaterMark: WAITING });
    return this.#named(talking(readAvailable(reading, () => reading.cancel(), ANSWER_WITHIN, signal)));
  }

  /**
   * What is appended after a position, without the server’s own events, until `signal` aborts; an empty list now and
   * then while nothing comes, after so many milliseconds.
   */
  appended(after: bigint, peace: number, signal: AbortSignal): AsyncIterable<readonly ReceivedEvent[]> {
    const filter = this.#prefix ? esdb.streamNameFilter({ prefixes: [this.#prefix] }) : esdb.excludeSystemEvents();
    const options = { ...this.#call, fromPosition: placeAt(after), filter };
    const reading = this.#client.subscribeToAll(options, { highWaterMark: WAITING });
    return this.#named(readAvailable(reading, () => reading.unsubscribe(), peace, signal));
  }

  /** Our streams by the names they have without the prefix. */
  async *#named(lists: AsyncIterable<readonly ReceivedEvent[]>): AsyncIterable<readonly ReceivedEvent[]> {
    if (!this.#prefix) return yield* lists;
    for await (const list of lists) yield list.map((arrived) => withoutPrefix(arrived, this.#prefix));
  }

  async close(): Promise<void> {
    await inTime(this.#client.dispose(), 1_000).catch(alreadyGone);
  }
}

/** An event’s commit and prepare position are one, but in transactions over several calls, which we do not write. */
const placeAt = (position: bigint): ReadPosition =>
  position === 0n ? esdb.START : { commit: position, prepare: position };

async function* talking<Item>(lists: AsyncIterable<readonly Item[]>): AsyncIterable<readonly Item[]> {
  for await (const list of lists) {
    if (list.length === 0) throw new NoAnswer('The event store has gone silent in the middle of an answer.');
    yield list;
  }
}

async function inTime<Answer>(asked: Promise<Answer>, milliseconds: number): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer('The event store does not answer.')), milliseconds);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
    asked.catch(heardElsewhere);
  }
}
