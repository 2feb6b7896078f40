import esdb from '@eventstore/db-client';
import {
  type Appended,
  EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type RawEvent,
  type Recorded,
  StoreUnavailable,
} from '../../kernel/event-store.js';
import { PATIENCE, retryUntilAborted, withRetry } from '../../postgres/retry.js';
import { HeadCache } from '../postgres/head-cache.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';
import { PAGE, TailReader } from '../tail-reader.js';
import type { PositionedEvent } from '../whole-log.js';
import { DroppedEvents } from './dropped-events.js';
import { isTransient, KurrentConnection, UnknownPosition } from './kurrent.connection.js';
import { isOurs, positionOf, type ReceivedEvent, toPositioned, toWire } from './kurrent.envelope.js';
import { KurrentStreams } from './kurrent.streams.js';
import { subscribeAfter } from './kurrent.subscription.js';
import { LogEnd } from './log-end.js';
import { LostReaders } from './lost-readers.js';

/** Characters of data in one batch of a scan; one event alone may hold more. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** How long a start waits before it says what for, and how often it says so again. Milliseconds. */
const FIRST_NOTICE_MS = 2_000;
const NOTICE_EVERY_MS = 10_000;

/** The server answers, but does not accept the user and password. */
export class EventStoreRefused extends Error {
  override readonly name = 'EventStoreRefused';
}

/**
 * Events in EventStoreDB or KurrentDB. Any number of processes may share one; so may other applications, whose streams
 * are ignored.
 *
 * A stream’s events are the server’s own stream, whose numbers begin at 0; the position is the commit position. One
 * subscription with the server’s filter shows all readers of the process what is new.
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
  readonly #end: LogEnd;
  readonly #lost: LostReaders;
  readonly #appending = new Set<Promise<unknown>>();
  /** Throws `EventStoreAddressFault`. */
  constructor({
    url,
    say = () => undefined,
    ...recording
  }: { readonly url: string; readonly say?: (message: string) => void } & Recording) {
    super();
    this.#connection = new KurrentConnection(url);
    this.#dropped = new DroppedEvents(this.#connection);
    this.#streams = new KurrentStreams(this.#connection, recording.isChained);
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

  /** Resolves once the store has answered, however long that takes, or when `signal` aborts. Throws `EventStoreRefused`. */
  async start(signal = new AbortController().signal): Promise<void> {
    const { location } = this.#connection;
    const sayWaiting = () => this.#say(`Waiting for the event store at ${location}, which does not answer…`);
    const firstNotice = setTimeout(sayWaiting, FIRST_NOTICE_MS);
    const furtherNotices = setInterval(sayWaiting, NOTICE_EVERY_MS);
    try {
      await retryUntilAborted(this.#end.position, AbortSignal.any([signal, this.#stopped.signal]), isTransient);
    } catch (error) {
      if (!(error instanceof esdb.AccessDeniedError)) throw error;
      throw new EventStoreRefused(
        `The event store at ${location} does not accept the user and password of EVENTSTORE_URL.`,
      );
    } finally {
      clearTimeout(firstNotice);
      clearInterval(furtherNotices);
    }
  }

  /** Answers the appends under way, ends all readers and leaves the server. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#appending);
    await this.#connection.close();
  }

  override async read(stream: string, revision = 0) {
    return withRetry(async () => {
      // With the event at `revision` itself: when nothing follows it, it is where the stream stands.
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
    if (this.#stopped.signal.aborted) throw new StoreUnavailable('The store is closed.');
    const appending = this.#append(stream, head, stored);
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
        .filter((event) => this.#isVisible(event) && positionOf(event) > reached && positionOf(event) <= last)
        .map(toPositioned);
      for (const batch of inBatches(visible)) yield batch.map(this.#recorded);
      reached = received.map(positionOf).at(-1) ?? reached;
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

  /** The server keeps the bytes until it is scavenged. */
  override async truncate(stream: string, revision: number): Promise<void> {
    if (this.#recording.isChained(stream)) throw new TypeError(`${stream} is chained: nothing of it is ever dropped.`);
    if (revision > 0) await withRetry(() => this.#dropped.drop(stream, revision), isTransient);
  }

  override lastPosition = () => withRetry(this.#end.position, isTransient);

  async #append(stream: string, head: Head, stored: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    if (!(await withRetry(() => this.#standsAt(stream, head), isTransient))) return this.#alreadyAppended(stored);
    const wire = stored.map((event) => toWire(this.#recording.digest, event));
    const deadline = performance.now() + PATIENCE;
    try {
      const { position } = await withRetry(
        () =>
          this.#connection.append(
            stream,
            head.revision,
            wire,
            Math.max(1, Math.min(5_000, deadline - performance.now())),
          ),
        isTransient,
      );
      const last = stored.at(-1);
      if (!position || !last) return this.#alreadyAppended(stored);
      const now = { revision: last.revision, hash: last.hash };
      this.#heads.set(stream, now);
      return { head: now, position: position.commit };
    } catch (error) {
      if (error instanceof esdb.WrongExpectedVersionError) return this.#alreadyAppended(stored);
      throw error;
    }
  }

  /**
   * Whether the event that the first new one links to has that hash. Events do not change, and the expected revision of
   * the append says whether it is still the last one: so no other append can come in between.
   */
  async #standsAt(stream: string, head: Head): Promise<boolean> {
    if (!this.#recording.isChained(stream)) return true;
    if (head.revision === 0) return head.hash === null;
    const seen = this.#heads.hashAt(stream, head.revision);
    if (seen !== undefined) return seen === head.hash;
    const [existing] = await this.#streams.slice(stream, head.revision, 1);
    return existing !== undefined && existing.hash === head.hash;
  }

  /** A refused append may have succeeded at an earlier try whose answer was lost: then its events are there already. */
  async #alreadyAppended(events: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    const [first] = events;
    if (!first) return 'conflict';
    const existing = await withRetry(
      () => this.#streams.slice(first.stream, first.revision, events.length),
      isTransient,
    );
    const last = existing.at(-1);
    if (!last || !events.every(({ id }, n) => id === existing[n]?.id)) return 'conflict';
    return { head: { revision: last.revision, hash: last.hash }, position: last.position };
  }

  /**
   * A page of our events after a position. Throws `UnknownPosition`, and when the answer ends before the log did: a follower hears what comes
   * later from elsewhere, and would miss what lies between.
   */
  async #after(position: bigint): Promise<PositionedEvent[]> {
    const end = await this.#end.position();
    if (end < position) throw new UnknownPosition(position);
    if (end === position) return [];
    const page: PositionedEvent[] = [];
    let reached = position;
    await this.#dropped.refresh();
    for await (const received of this.#connection.readAll(position)) {
      for (const event of received) {
        reached = positionOf(event);
        if (!this.#isVisible(event) || reached <= position) continue;
        page.push(toPositioned(event));
        if (page.length === PAGE) return page;
      }
    }
    if (reached < end) throw endedEarly();
    return page;
  }

  async *#newPages(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    for await (const page of subscribeAfter(this.#connection, this.#end, position, signal))
      yield page.map(this.#recorded);
  }

  #isVisible = (event: ReceivedEvent) => isOurs(event) && !this.#dropped.has(event);

  #recorded = ({ position, ...stored }: PositionedEvent): Recorded =>
    toRecorded(this.#recording.catalogue, stored, position);
}

/** The answer looked complete and was not. Asked again, the server may send all of it. */
const endedEarly = () => new StoreUnavailable('The event store has ended its answer before the end of the log.');

/** Batches that are never empty, and hold fewer events where these are large. */
function* inBatches(events: readonly PositionedEvent[]): Iterable<readonly PositionedEvent[]> {
  let batch: PositionedEvent[] = [];
  let characters = 0;
  for (const event of events) {
    batch.push(event);
    characters += event.data.length;
    if (characters < MOST_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
