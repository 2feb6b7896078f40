import esdb from '@eventstore/db-client';
import {
  type Appended,
  EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type Recorded,
  StoreUnavailableError,
} from '../../../kernel/event-store.js';
import { retryUntilAborted, withRetry } from '../../postgres/retry.js';
import { HeadCache } from '../postgres/head-cache.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';
import { PAGE, TailReader } from '../tail-reader.js';
import type { PositionedEvent } from '../whole-log.js';
import { DroppedEvents } from './dropped-events.js';
import { KurrentAppends } from './kurrent.appends.js';
import { isTransient, KurrentConnection, UnknownPositionError } from './kurrent.connection.js';
import { isOurs, type ReceivedEvent, readPosition, toPositioned } from './kurrent.envelope.js';
import { KurrentStreams } from './kurrent.streams.js';
import { subscribeToLog } from './kurrent.subscription.js';
import { LogEnd } from './log-end.js';
import { LostReaders } from './lost-readers.js';

/** Maximum characters of data in one batch of a scan. A single event can exceed it. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Time after startup at which the operator is first told that the service is waiting for the store. The message is
 * repeated every NOTICE_EVERY_MS.
 */
const FIRST_NOTICE_MS = 2_000;
const NOTICE_EVERY_MS = 10_000;

export class EventStoreLoginError extends Error {
  override readonly name = 'EventStoreLoginError';
}

/**
 * Stores events in EventStoreDB or KurrentDB. Any number of processes can share a server, even with other applications,
 * whose streams are ignored.
 *
 * Each of our streams is a stream on the server, which numbers its events from 0. The position of an event is its
 * commit position. All readers in the process share one subscription with a server-side filter.
 */
export class KurrentEngine extends EventStore {
  readonly #connection: KurrentConnection;
  readonly #recording: Recording;
  readonly #say: (message: string) => void;
  readonly #stopped = new AbortController();
  readonly #heads = new HeadCache();
  readonly #tail: TailReader;
  readonly #dropped: DroppedEvents;
  readonly #streams: KurrentStreams;
  readonly #appends: KurrentAppends;
  readonly #end: LogEnd;
  readonly #lost: LostReaders;
  readonly #appending = new Set<Promise<unknown>>();

  /** Throws `EventStoreAddressError`. */
  constructor({
    url,
    say = () => undefined,
    ...recording
  }: { readonly url: string; readonly say?: (message: string) => void } & Recording) {
    super();
    this.#connection = new KurrentConnection(url);
    this.#dropped = new DroppedEvents(this.#connection);
    this.#streams = new KurrentStreams(this.#connection, recording.isChained);
    this.#appends = new KurrentAppends({
      connection: this.#connection,
      streams: this.#streams,
      heads: this.#heads,
      recording,
    });
    this.#end = new LogEnd(this.#connection);
    this.#recording = recording;
    this.#say = say;
    this.#lost = new LostReaders(say);
    this.#tail = new TailReader(
      () => retryUntilAborted(this.#end.position, this.#stopped.signal, isTransient),
      (after, signal) => this.#newPages(after, signal),
      this.#stopped.signal,
    );
  }

  /** Resolves once the store has responded, or when `signal` aborts. Throws `EventStoreLoginError`. */
  async start(signal = new AbortController().signal): Promise<void> {
    const { location } = this.#connection;
    const sayWaiting = () => this.#say(`Waiting for the event store at ${location}, which is not responding…`);
    const firstNotice = setTimeout(sayWaiting, FIRST_NOTICE_MS);
    const furtherNotices = setInterval(sayWaiting, NOTICE_EVERY_MS);
    try {
      await retryUntilAborted(this.#end.position, AbortSignal.any([signal, this.#stopped.signal]), isTransient);
    } catch (error) {
      if (!(error instanceof esdb.AccessDeniedError)) throw error;
      throw new EventStoreLoginError(
        `The event store at ${location} rejected the user and password in EVENTSTORE_URL.`,
      );
    } finally {
      clearTimeout(firstNotice);
      clearInterval(furtherNotices);
    }
  }

  /** Waits for appends in progress, ends all readers, and disconnects. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#appending);
    await this.#connection.close();
  }

  override async read(stream: string, revision = 0) {
    return withRetry(async () => {
      // Also reads the event at `revision`, because it is the head of the stream if no other event follows.
      const first = Math.max(1, revision);
      const found = await this.#streams.slice(stream, first, Number.MAX_SAFE_INTEGER);
      const lastEvent = found.at(-1) ?? (revision > 0 ? await this.#streams.last(stream) : undefined);
      const head: Head = lastEvent ? { revision: lastEvent.revision, hash: lastEvent.hash } : emptyStream;
      this.#heads.set(stream, head);
      return { found: found.filter((event) => event.revision > revision), head };
    }, isTransient).then(({ found, head }) => ({ events: found.map(this.#recorded), head }));
  }

  override page = async (stream: string, revision: number, limit: number) =>
    (await withRetry(() => this.#streams.slice(stream, revision + 1, limit), isTransient)).map(this.#recorded);

  override async append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'> {
    const stored = toStored(this.#recording, stream, head, events);
    if (this.#stopped.signal.aborted) throw new StoreUnavailableError('The event store is closed.');
    const appending = this.#appends.append(stream, head, stored);
    this.#appending.add(appending);
    try {
      return await appending;
    } finally {
      this.#appending.delete(appending);
    }
  }

  override follow = (position: bigint, signal: AbortSignal) =>
    this.#tail.read(
      null,
      position,
      (event) => event.position,
      async (after, ended) =>
        (
          await this.#lost.orTold(after, () => retryUntilAborted(() => this.#after(after), ended, isTransient), ended)
        )?.map(this.#recorded),
      signal,
    );

  override get trouble() {
    return this.#lost.trouble;
  }

  override async *scan(position: bigint, last: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    let reached = position;
    if (position >= last) return;
    await this.#dropped.refresh();
    for await (const received of this.#connection.readAll(position, undefined, signal)) {
      const visible = received
        .filter((event) => this.#isVisible(event) && readPosition(event) > reached && readPosition(event) <= last)
        .map(toPositioned);
      for (const batch of inBatches(visible)) yield batch.map(this.#recorded);
      reached = received.map(readPosition).at(-1) ?? reached;
      if (reached >= last) return;
    }
    if (!signal.aborted && (await this.#end.position()) > reached) throw endedEarly();
  }

  override watch = (stream: string, revision: number, signal: AbortSignal) =>
    this.#tail.read(
      stream,
      revision,
      (event) => event.revision,
      async (after, ended) =>
        (await retryUntilAborted(() => this.#streams.slice(stream, after + 1, PAGE), ended, isTransient))?.map(
          this.#recorded,
        ),
      signal,
    );

  override raw = (stream: string) => this.#streams.raw(stream);

  /** Drops events. The server keeps their bytes until it is scavenged. */
  override async truncate(stream: string, revision: number): Promise<void> {
    if (this.#recording.isChained(stream))
      throw new TypeError(`${stream} has a hash chain, so its events are never dropped.`);
    if (revision > 0) await withRetry(() => this.#dropped.drop(stream, revision), isTransient);
  }

  override lastPosition = () => withRetry(this.#end.position, isTransient);

  /**
   * Returns a page of our events. Throws `UnknownPositionError`. Also throws if the response ends before the log does:
   * otherwise, a follower would continue with a subscription and miss the remaining events.
   */
  async #after(position: bigint): Promise<PositionedEvent[]> {
    const end = await this.#end.position();
    if (end < position) throw new UnknownPositionError(position);
    if (end === position) return [];
    const page: PositionedEvent[] = [];
    let reached = position;
    await this.#dropped.refresh();
    for await (const received of this.#connection.readAll(position)) {
      for (const event of received) {
        reached = readPosition(event);
        if (!this.#isVisible(event) || reached <= position) continue;
        page.push(toPositioned(event));
        if (page.length === PAGE) return page;
      }
    }
    if (reached < end) throw endedEarly();
    return page;
  }

  async *#newPages(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    for await (const page of subscribeToLog(this.#connection, this.#end, position, signal))
      yield page.map(this.#recorded);
  }

  #isVisible = (event: ReceivedEvent) => isOurs(event) && !this.#dropped.has(event);

  #recorded = ({ position, ...stored }: PositionedEvent): Recorded =>
    toRecorded(this.#recording.catalogue, stored, position);
}

/** Returns the error for a response that looked complete but was not. A second request may return everything. */
const endedEarly = () => new StoreUnavailableError('The event store ended its response before the end of the log.');

/** Splits events into non-empty batches. The larger the events, the fewer a batch contains. */
function* inBatches(events: readonly PositionedEvent[]): Iterable<readonly PositionedEvent[]> {
  let batch: PositionedEvent[] = [];
  let characters = 0;
  for (const event of events) {
    batch.push(event);
    characters += event.data.length;
    if (characters < MAX_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
