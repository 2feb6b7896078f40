import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Recorded } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { createMessageEncoding, type Encoding } from './frames/encodings.js';
import { buildFrames, type Frame } from './frames/frame.js';
import { Ring, type RingBudget } from './frames/ring.js';
import type { LiveSource, SourceItem } from './live-source.js';
import type { LiveStream } from './live-stream.js';
import type { StreamHistory } from './stream-history.js';

const following = new BackgroundTask('follow_streams_for_clients');

/** Number of past events with which a ring buffer starts, so that clients that join later rarely need the source. */
const REACH_BACK = 256;
/** Number of events per read while the ring buffer is being filled. */
const PAGE = 64;

/**
 * Maximum number of positions for which the next encoded frames are cached, so that other clients at the same position
 * can use them. Slow clients rarely share a position.
 */
const SHARED_CURSORS = 32;

/** Maximum size of one write to a client, in characters. */
export const BATCH = 64 * 1024;

/** After this time, writing to the clients pauses to let the process do other work. */
const SLICE_MS = 8;

/** Each round over all clients is followed by a pause this many times as long, so that more events share one write. */
const REST_FOR_ROUND = 2.5;
const MAX_REST_MS = 40;

const RETRY_MS = 250;

/** The next frames, encoded once for all clients at the same position. `to` is the revision of the last frame. */
type EncodedBatch = {
  readonly bytes: Buffer;
  readonly to: number;
  /**
   * For a log: the number of frames up to `to` that clients see, counted from where this process began to read. Null if
   * unknown.
   */
  readonly shown: number | null;
};

/** The part of a log that a slow client misses. */
type Gap = { readonly count: number; readonly to: number; readonly shown: number };

/** A client's cursor, as seen by the `StreamTail`. */
export type TailFollower = {
  /** Writes as many new frames as the client accepts. */
  advance(): void;
  /** Called when rights might have changed. Unsubscribes the client if it may no longer watch. Must not reject. */
  recheckRights(): Promise<void>;
};

/** A `StreamTail`, as seen by its followers. */
export type LiveTail = {
  /** The last revision that was read, or null until the head of the stream is known. */
  readonly head: number | null;
  /** Revision of the event that ends the stream, or null if it has not ended. */
  readonly final: number | null;
  join(follower: TailFollower): void;
  /** Removes a follower. When the last follower leaves, the stream is no longer read. */
  leave(follower: TailFollower): void;
  /** Returns the encoding for all WebSocket clients that subscribed under this name. */
  messages(name: string): Encoding;
  /** Returns frames from the ring buffer, or null if it does not go back that far. */
  batch(encoding: Encoding, after: number): EncodedBatch | null;
  /** Returns about `limit` events from the source. Returns null if there are none, or once `isWanted` returns false. */
  older(encoding: Encoding, after: number, limit: number, isWanted: () => boolean): Promise<EncodedBatch | null>;
  /** The revision after which a client without a resume point starts. */
  readonly beginning: number;
  /**
   * Returns the part of a log that a client misses if it continues at the start of the ring buffer. `shown` is from the
   * client's last `EncodedBatch`. Returns null if the client must read that part from the source.
   */
  gap(shown: number | null): Gap | null;
};

export type StreamTailOptions<Item extends SourceItem = Recorded> = {
  readonly stream: LiveStream<Item>;
  readonly store: LiveSource<Item>;
  readonly history: StreamHistory<Item>;
  /** Shared with the ring buffers of all other streams. */
  readonly budget: RingBudget;
  /** Called when the last follower has left and the stream is no longer read. */
  readonly onAbandoned: () => void;
};

/**
 * Follows a watched stream for all of its clients. Reads the source once, keeps the last frames, and writes to each
 * client everything after its cursor.
 */
export class StreamTail<Item extends SourceItem = Recorded> implements LiveTail {
  readonly #log = new Logger('Live streams');
  readonly #followers = new Set<TailFollower>();
  readonly #closed = new AbortController();
  readonly #batches = new Map<Encoding, Map<number, EncodedBatch>>();
  readonly #encodings = new Map<string, Encoding>();
  #ring: Ring | null = null;
  #final: number | null = null;
  #isFlushing = false;
  #hasNews = false;

  /**
   * Starts to read the source. A follower must join immediately, because reading stops when the last follower leaves.
   */
  constructor(private readonly options: StreamTailOptions<Item>) {
    void this.#run();
  }

  get head(): number | null {
    return this.#ring?.head ?? null;
  }

  get final(): number | null {
    return this.#final;
  }

  join(follower: TailFollower): void {
    this.#followers.add(follower);
  }

  leave(follower: TailFollower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#closed.abort();
    this.#ring?.empty();
    this.#batches.clear();
    this.options.onAbandoned();
  }

  messages(name: string): Encoding {
    const known = this.#encodings.get(name);
    if (known) return known;
    const made = createMessageEncoding(name);
    this.#encodings.set(name, made);
    return made;
  }

  batch(encoding: Encoding, after: number): EncodedBatch | null {
    const ring = this.#ring;
    if (!ring?.covers(after)) return null;
    const known = this.#batches.get(encoding) ?? new Map<number, EncodedBatch>();
    this.#batches.set(encoding, known);
    const made = known.get(after) ?? this.#batch(ring, encoding, after);
    if (known.size < SHARED_CURSORS) known.set(after, made);
    return made;
  }

  get beginning(): number {
    const { log } = this.options.stream;
    return log && this.#ring ? this.#ring.beforeNewest(log.newest) : 0;
  }

  gap(shown: number | null): Gap | null {
    if (!this.options.stream.log || !this.#ring || shown === null) return null;
    const to = this.#ring.start;
    const shownTo = this.#ring.shownUpTo(to);
    return { count: shownTo - shown, to, shown: shownTo };
  }

  async older(encoding: Encoding, after: number, limit: number, isWanted: () => boolean): Promise<EncodedBatch | null> {
    const frames = await this.options.history.frames(this.options.stream, after, limit, isWanted);
    return frames.length === 0 ? null : batchOf(encoding, frames, after);
  }

  async #run(): Promise<void> {
    const { stream, store, history, budget } = this.options;
    void history.watchRights(stream, this.#closed.signal, () => void this.#recheckRights());
    const head = await history.head(stream.stream, () => !this.#closed.signal.aborted);
    if (!head) return;
    const ring = new Ring(head.start ?? Math.max(0, head.revision - REACH_BACK), budget);
    await this.#fill(ring, head.revision);
    if (this.#closed.signal.aborted) return ring.empty();
    this.#ring = ring;
    this.#flushSoon();
    // When a log is first read, check the rights again: its first events are filtered, so an event that revoked a right
    // in the meantime may not be among them.
    if (stream.log) void this.#recheckRights();

    for (;;) {
      try {
        for await (const events of store.watch(stream.stream, ring.head, this.#closed.signal)) {
          if (this.#closed.signal.aborted) break;
          const frames = await buildFrames(stream, events);
          if (this.#closed.signal.aborted) break;
          following.succeeded();
          if (events.some(({ type }) => stream.outdates?.has(type))) ring.empty();
          this.#take(ring, frames);
          this.#flushSoon();
          if (events.some(({ type }) => stream.rightsTypes?.has(type))) void this.#recheckRights();
        }
      } catch (error) {
        following.failed(error);
        this.#log.error(`Could not follow ${stream.stream}; retrying`, error);
      }
      if (this.#closed.signal.aborted) return;
      await pause(RETRY_MS, undefined, { ref: false });
    }
  }

  /** Reads the existing events into the ring buffer before anything is written to the first client. */
  async #fill(ring: Ring, head: number): Promise<void> {
    while (ring.head < head) {
      const isOpen = () => !this.#closed.signal.aborted;
      const frames = await this.options.history.frames(this.options.stream, ring.head, PAGE, isOpen);
      if (frames.length === 0) return;
      this.#take(ring, frames);
    }
  }

  #take(ring: Ring, frames: readonly Frame[]) {
    for (const frame of frames) {
      ring.push(frame);
      if (frame.isFinal) this.#final = frame.revision;
    }
    this.#batches.clear();
  }

  /** Checks the clients’ rights one after another, so that the database has capacity for other work. */
  async #recheckRights(): Promise<void> {
    for (const follower of [...this.#followers]) await follower.recheckRights();
  }

  #batch(ring: Ring, encoding: Encoding, after: number): EncodedBatch {
    const made = batchOf(encoding, ring.after(after, BATCH), after);
    return this.options.stream.log ? { ...made, shown: ring.shownUpTo(made.to) } : made;
  }

  #flushSoon() {
    this.#hasNews = true;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#round());
  }

  #round() {
    this.#hasNews = false;
    const began = performance.now();
    const rest = this.#followers.values();
    const slice = () => {
      const until = performance.now() + SLICE_MS;
      for (const follower of rest) {
        follower.advance();
        if (performance.now() > until) return void setImmediate(slice);
      }
      const took = performance.now() - began;
      if (took < 1) return this.#rested();
      setTimeout(() => this.#rested(), Math.min(took * REST_FOR_ROUND, MAX_REST_MS));
    };
    slice();
  }

  #rested() {
    this.#isFlushing = false;
    if (this.#hasNews) this.#flushSoon();
  }
}

function batchOf(encoding: Encoding, frames: readonly Frame[], after: number): EncodedBatch {
  return { bytes: encoding.frames(frames), to: frames.at(-1)?.revision ?? after, shown: null };
}
