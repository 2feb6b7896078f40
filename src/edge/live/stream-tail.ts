import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Recorded } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { type Encoding, messagesOf } from './frames/encodings.js';
import { type Frame, framesFor } from './frames/frame.js';
import { Ring, type RingBudget } from './frames/ring.js';
import type { LiveSource, SourceItem } from './live-source.js';
import type { LiveStream } from './live-stream.js';
import type { StreamHistory } from './stream-history.js';

const following = new BackgroundTask('follow_streams_for_clients');

/** How many past events a ring begins with: a client that comes soon after others rarely needs the source. */
const REACH_BACK = 256;
/** Events read from the source at once while the ring is filled. */
const PAGE = 64;

/** Places in the stream whose next bytes are kept for other clients there. Those far behind, each at its own, are left out. */
const SHARED_CURSORS = 32;

/** How much is written to a client at once, in characters. */
export const BATCH = 64 * 1024;

/** After so many milliseconds of writing, other work of this process has its turn. */
const SLICE_MS = 8;

/** A round over all clients is followed by a rest in proportion to it, so that more events go in fewer writes. Milliseconds. */
const REST_FOR_ROUND = 2.5;
const LONGEST_REST_MS = 40;

/** Between two tries to follow the source, in milliseconds. */
const RETRY_MS = 250;

/** The next frames after a revision, as bytes that every client there gets; `to` is the revision of the last. */
type EncodedBatch = {
  readonly bytes: Buffer;
  readonly to: number;
  /** In a log: how many were shown up to there, since there is this tail; null where that is not known. */
  readonly shown: number | null;
};

/** What a client that fell behind a log leaves out. */
type Gap = { readonly count: number; readonly to: number; readonly shown: number };

/** A client's cursor, as its tail knows it. */
export type TailFollower = {
  /** Writes what has come since, as far as the client takes it. */
  advance(): void;
  /** Called when rights may have changed: ends the watching of a client that may not watch any more. Must not reject. */
  recheckRights(): Promise<void>;
};

/** A tail, as its followers see it. */
export type LiveTail = {
  /** The last revision that it has read; null until it knows where the stream stands. */
  readonly head: number | null;
  /** The revision of the final event, after which nothing follows; null until it is there. */
  readonly final: number | null;
  join(follower: TailFollower): void;
  /** When the last follower leaves, the tail ends. */
  leave(follower: TailFollower): void;
  /** The encoding for WebSocket clients that subscribed by this name, which they share. */
  messages(name: string): Encoding;
  /** What follows a revision, from the ring; null when the ring does not reach back so far. */
  batch(encoding: Encoding, after: number): EncodedBatch | null;
  /** What follows a revision, from the source, at most `limit` events; null when there is nothing, or it is not wanted any more. */
  older(encoding: Encoding, after: number, limit: number, isWanted: () => boolean): Promise<EncodedBatch | null>;
  /** Where a client begins that resumes nowhere. */
  readonly beginning: number;
  /** What lies between a client that had so many shown of a log and the ring; null where it is to be read instead. */
  gap(shown: number | null): Gap | null;
};

export type StreamTailOptions<Item extends SourceItem = Recorded> = {
  readonly stream: LiveStream<Item>;
  readonly store: LiveSource<Item>;
  /** Reads what the ring no longer has. */
  readonly history: StreamHistory<Item>;
  /** Shared with the rings of all other tails. */
  readonly budget: RingBudget;
  /** Called when the last follower has left; the tail is over then. */
  readonly onAbandoned: () => void;
};

/**
 * The one tail of a watched stream: it reads the source once for all who watch, keeps the last frames, and writes each
 * client everything since its cursor.
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

  /** It reads the source from now on, and ends when its last follower leaves: one must join at once. */
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
    const made = messagesOf(name);
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
    const head = await history.head(stream.stream, () => !this.#closed.signal.aborted);
    if (!head) return;
    const ring = new Ring(head.start ?? Math.max(0, head.revision - REACH_BACK), budget);
    await this.#fill(ring, head.revision);
    if (this.#closed.signal.aborted) return ring.empty();
    this.#ring = ring;
    this.#flushSoon();
    // A log is begun with what passes a filter: what ended a right meanwhile is not among it.
    if (stream.log) void this.#recheckRights();

    for (;;) {
      try {
        for await (const events of store.watch(stream.stream, ring.head, this.#closed.signal)) {
          if (this.#closed.signal.aborted) break;
          const frames = await framesFor(stream, events);
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

  /** Reads what is there before the first client is written to. */
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

  /** One client after the other, so that a crowd leaves the database to others too. */
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
      setTimeout(() => this.#rested(), Math.min(took * REST_FOR_ROUND, LONGEST_REST_MS));
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
