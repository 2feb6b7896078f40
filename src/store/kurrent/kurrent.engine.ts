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
import { PATIENCE, patiently, untilAborted } from '../../postgres/database-away.js';
import { HeadsSeen } from '../postgres/head-cache.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';
import { PAGE, Tail } from '../tail-reader.js';
import type { Placed } from '../whole-log.js';
import { DroppedEvents } from './dropped-events.js';
import { KurrentConnection, mayPass } from './kurrent.connection.js';
import { type Arrived, isOurs, positionOf, toPlaced, toWire } from './kurrent.envelope.js';
import { KurrentStreams } from './kurrent.streams.js';
import { newsAfter } from './kurrent.subscription.js';
import { LogEnd } from './log-end.js';

/** Characters of data in one list of a scan; one event alone may hold more. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** When somebody who waits for the start is told what it waits for, in milliseconds. */
const SAY_FIRST = 2_000;
const SAY_EVERY = 10_000;

/** The server knows us, and will not have us. */
export class EventStoreRefused extends Error {
  override readonly name = 'EventStoreRefused';
}

/**
 * Events in EventStoreDB or KurrentDB. Any number of processes may share one; so may other applications, whose
 * streams are passed over.
 *
 * A stream’s events are the server’s own stream, whose numbers begin at 0; the position is the commit position. One
 * subscription with the server’s filter shows all readers of the process what is new.
 */
export class KurrentEngine extends EventStore {
  readonly #connection: KurrentConnection;
  readonly #recording: Recording;
  readonly #say: (message: string) => void;
  readonly #stopped = new AbortController();
  readonly #heads = new HeadsSeen();
  readonly #tail: Tail;
  readonly #dropped: DroppedEvents;
  readonly #streams: KurrentStreams;
  readonly #end: LogEnd;
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
    this.#tail = new Tail(
      () => untilAborted(this.#end.position, this.#stopped.signal, mayPass),
      (after, signal) => this.#newPages(after, signal),
      this.#stopped.signal,
    );
  }

  /** Resolves once the store has answered, however long that takes, or when `signal` aborts. Throws `EventStoreRefused`. */
  async start(signal = new AbortController().signal): Promise<void> {
    const { place } = this.#connection;
    const tell = () => this.#say(`Waiting for the event store at ${place}, which does not answer…`);
    const soon = setTimeout(tell, SAY_FIRST);
    const often = setInterval(tell, SAY_EVERY);
    try {
      await untilAborted(this.#end.position, AbortSignal.any([signal, this.#stopped.signal]), mayPass);
    } catch (error) {
      if (!(error instanceof esdb.AccessDeniedError)) throw error;
      throw new EventStoreRefused(
        `The event store at ${place} does not accept the user and password of EVENTSTORE_URL.`,
      );
    } finally {
      clearTimeout(soon);
      clearInterval(often);
    }
  }

  /** Answers the appends under way, ends all readers and leaves the server. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#appending);
    await this.#connection.close();
  }

  override async read(stream: string, revision = 0) {
    return patiently(async () => {
      // With the event at `revision` itself: when nothing follows it, it is where the stream stands.
      const first = Math.max(1, revision);
      const placed = await this.#streams.slice(stream, first, Number.MAX_SAFE_INTEGER);
      const last = placed.at(-1) ?? (revision > 0 ? await this.#streams.lastOf(stream) : undefined);
      const head: Head = last ? { revision: last.revision, hash: last.hash } : emptyStream;
      this.#heads.saw(stream, head);
      return { placed: placed.filter((event) => event.revision > revision), head };
    }, mayPass).then(({ placed, head }) => ({ events: placed.map(this.#recorded), head }));
  }

  override page = async (stream: string, revision: number, limit: number) =>
    (await patiently(() => this.#streams.slice(stream, revision + 1, limit), mayPass)).map(this.#recorded);

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
    this.#tail.reading(
      null,
      position,
      (event) => event.position,
      async (after, ended) => (await untilAborted(() => this.#after(after), ended, mayPass))?.map(this.#recorded),
      signal,
    );

  override async *scan(position: bigint, last: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    let reached = position;
    if (position >= last) return;
    await this.#dropped.learn();
    for await (const arrived of this.#connection.all(position, undefined, signal)) {
      const due = arrived
        .filter((event) => this.#isShown(event) && positionOf(event) > reached && positionOf(event) <= last)
        .map(toPlaced);
      for (const batch of inBatches(due)) yield batch.map(this.#recorded);
      reached = arrived.map(positionOf).at(-1) ?? reached;
      if (reached >= last) return;
    }
    if (!signal.aborted && (await this.#end.position()) > reached) throw endedEarly();
  }

  override watch = (stream: string, revision: number, signal: AbortSignal) =>
    this.#tail.reading(
      stream,
      revision,
      (event) => event.revision,
      async (after, ended) =>
        (await untilAborted(() => this.#streams.slice(stream, after + 1, PAGE), ended, mayPass))?.map(this.#recorded),
      signal,
    );

  override raw = (stream: string) => this.#streams.raw(stream);

  /** The server keeps the bytes until it is scavenged. */
  override async truncate(stream: string, revision: number): Promise<void> {
    if (this.#recording.isChained(stream)) throw new TypeError(`${stream} is chained: nothing of it is ever dropped.`);
    if (revision > 0) await patiently(() => this.#dropped.drop(stream, revision), mayPass);
  }

  override lastPosition = () => patiently(this.#end.position, mayPass);

  async #append(stream: string, head: Head, stored: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    if (!(await patiently(() => this.#isAt(stream, head), mayPass))) return this.#alreadyThere(stored);
    const wire = stored.map((event) => toWire(this.#recording.digest, event));
    const deadline = performance.now() + PATIENCE;
    try {
      const { position } = await patiently(
        () =>
          this.#connection.append(
            stream,
            head.revision,
            wire,
            Math.max(1, Math.min(5_000, deadline - performance.now())),
          ),
        mayPass,
      );
      const last = stored.at(-1);
      if (!position || !last) return this.#alreadyThere(stored);
      const now = { revision: last.revision, hash: last.hash };
      this.#heads.saw(stream, now);
      return { head: now, position: position.commit };
    } catch (error) {
      if (error instanceof esdb.WrongExpectedVersionError) return this.#alreadyThere(stored);
      throw error;
    }
  }

  /**
   * Whether the event that the first new one links to has that hash. Events do not change, and the expected revision
   * of the append says whether it is still the last one: so nobody can come in between.
   */
  async #isAt(stream: string, head: Head): Promise<boolean> {
    if (!this.#recording.isChained(stream)) return true;
    if (head.revision === 0) return head.hash === null;
    const seen = this.#heads.of(stream, head.revision);
    if (seen !== undefined) return seen === head.hash;
    const [standing] = await this.#streams.slice(stream, head.revision, 1);
    return standing !== undefined && standing.hash === head.hash;
  }

  /** An append that was refused may be one whose first answer was lost: then it stands where it would go. */
  async #alreadyThere(events: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    const [first] = events;
    if (!first) return 'conflict';
    const standing = await patiently(() => this.#streams.slice(first.stream, first.revision, events.length), mayPass);
    const last = standing.at(-1);
    if (!last || !events.every(({ id }, n) => id === standing[n]?.id)) return 'conflict';
    return { head: { revision: last.revision, hash: last.hash }, position: last.position };
  }

  /**
   * A page of our events after a position. Throws when the answer ends before the log did: a follower hears what comes
   * later from elsewhere, and would miss what lies between.
   */
  async #after(position: bigint): Promise<Placed[]> {
    const end = await this.#end.position();
    if (end <= position) return [];
    const page: Placed[] = [];
    let reached = position;
    await this.#dropped.learn();
    for await (const arrived of this.#connection.all(position)) {
      for (const event of arrived) {
        reached = positionOf(event);
        if (!this.#isShown(event) || reached <= position) continue;
        page.push(toPlaced(event));
        if (page.length === PAGE) return page;
      }
    }
    if (reached < end) throw endedEarly();
    return page;
  }

  async *#newPages(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    for await (const page of newsAfter(this.#connection, this.#end, position, signal)) yield page.map(this.#recorded);
  }

  #isShown = (event: Arrived) => isOurs(event) && !this.#dropped.has(event);

  #recorded = ({ position, ...stored }: Placed): Recorded => toRecorded(this.#recording.catalogue, stored, position);
}

/** As if it were whole. Asked again, the server may answer all of it. */
const endedEarly = () => new StoreUnavailable('The event store has ended its answer before the end of the log.');

/** Lists that are not empty, and that hold few events where these are large. */
function* inBatches(events: readonly Placed[]): Iterable<readonly Placed[]> {
  let batch: Placed[] = [];
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
