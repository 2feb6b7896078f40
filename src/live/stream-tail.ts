import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { EventStore, Recorded } from '../kernel/event-store.js';
import { type Encoding, messagesOf } from './encodings.js';
import { type Frame, frameFor } from './frame.js';
import type { Watched } from './live-stream.js';
import { Ring, type Room } from './ring.js';
import type { History } from './stream-history.js';

/** How much of the past a ring begins with, in events: who comes soon after others rarely needs the store. */
const REACH_BACK = 256;
const PAGE = 64;

/** Cursors whose next bytes are kept for others at the same place; stragglers, each at its own, are not kept for. */
const SHARED_CURSORS = 32;

/** What is written to a client at once, in characters. */
export const BATCH = 64 * 1024;

/** After so many milliseconds of writing, others in this process have their turn. */
const SLICE_MS = 8;

/** A round over all clients is followed by a rest in proportion to it, so that more events go in fewer writes. */
const REST_FOR_ROUND = 2.5;
const LONGEST_REST_MS = 40;

/** Between two tries to follow the store, in milliseconds. */
const RETRY_MS = 250;

/** The next frames after a revision, as bytes that every client there gets. */
type Batch = { readonly bytes: Buffer; readonly to: number };

/** A client's cursor. */
export type Follower = {
  /** Writes what has come since, as far as the client takes it. */
  advance(): void;
  /** Rights may have changed: ends the watching of a client that may not any more. It must not reject. */
  askAgain(): Promise<void>;
};

/**
 * The one tail of a watched stream: it reads the store once for all who watch, keeps the last frames, and writes each
 * client everything since its cursor.
 */
export class Channel {
  readonly #log = new Logger('Live streams');
  readonly #followers = new Set<Follower>();
  readonly #closed = new AbortController();
  readonly #batches = new Map<Encoding, Map<number, Batch>>();
  readonly #named = new Map<string, Encoding>();
  #ring: Ring | null = null;
  #final: number | null = null;
  #isFlushing = false;
  #hasNews = false;

  constructor(
    private readonly watched: Watched,
    private readonly store: EventStore,
    private readonly history: History,
    private readonly room: Room,
    private readonly abandoned: () => void,
  ) {
    void this.#run();
  }

  /** The last revision it knows of; null while it does not know where the stream stands. */
  get head(): number | null {
    return this.#ring?.head ?? null;
  }

  /** The revision after which nothing follows, once it is there. */
  get final(): number | null {
    return this.#final;
  }

  join(follower: Follower): void {
    this.#followers.add(follower);
  }

  /** With the last follower the tail ends. */
  leave(follower: Follower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#closed.abort();
    this.#ring?.empty();
    this.#batches.clear();
    this.abandoned();
  }

  /** The encoding for those who call the stream by this name. */
  messages(name: string): Encoding {
    const known = this.#named.get(name);
    if (known) return known;
    const made = messagesOf(name);
    this.#named.set(name, made);
    return made;
  }

  /** What comes after a revision; null where the ring does not reach back so far. */
  batch(encoding: Encoding, after: number): Batch | null {
    if (!this.#ring?.covers(after)) return null;
    const known = this.#batches.get(encoding) ?? new Map<number, Batch>();
    this.#batches.set(encoding, known);
    const made = known.get(after) ?? batchOf(encoding, this.#ring.after(after, BATCH), after);
    if (known.size < SHARED_CURSORS) known.set(after, made);
    return made;
  }

  /** The same from the store, at most `limit` events; null when there are none or nobody wants them any more. */
  async older(encoding: Encoding, after: number, limit: number, isWanted: () => boolean): Promise<Batch | null> {
    const events = await this.history.page(this.watched.stream, after, limit, isWanted);
    return events.length === 0 ? null : batchOf(encoding, events.map(this.#frame), after);
  }

  async #run(): Promise<void> {
    const head = await this.history.head(this.watched.stream, () => !this.#closed.signal.aborted);
    if (!head) return;
    const ring = new Ring(Math.max(0, head.revision - REACH_BACK), this.room);
    await this.#fill(ring, head.revision);
    if (this.#closed.signal.aborted) return ring.empty();
    this.#ring = ring;
    this.#flushSoon();

    for (;;) {
      try {
        for await (const events of this.store.watch(this.watched.stream, ring.head, this.#closed.signal)) {
          if (this.#closed.signal.aborted) break;
          this.#take(ring, events);
          this.#flushSoon();
          if (events.some(({ type }) => this.watched.rightsTypes?.has(type))) void this.#askAgain();
        }
      } catch (error) {
        this.#log.error(`${this.watched.stream} cannot be followed; trying again`, error);
      }
      if (this.#closed.signal.aborted) return;
      await pause(RETRY_MS, undefined, { ref: false });
    }
  }

  /** What was there when the first client came, before anything is written to it. */
  async #fill(ring: Ring, head: number): Promise<void> {
    while (ring.head < head) {
      const isOpen = () => !this.#closed.signal.aborted;
      const events = await this.history.page(this.watched.stream, ring.head, PAGE, isOpen);
      if (events.length === 0) return;
      this.#take(ring, events);
    }
  }

  #take(ring: Ring, events: readonly Recorded[]) {
    for (const event of events) {
      const frame = this.#frame(event);
      ring.push(frame);
      if (frame.isFinal) this.#final = frame.revision;
    }
    this.#batches.clear();
  }

  /** One client after the other: a crowd that is asked must not keep others from the database. */
  async #askAgain(): Promise<void> {
    for (const follower of [...this.#followers]) await follower.askAgain();
  }

  #frame = (event: Recorded): Frame => frameFor(this.watched, event);

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

function batchOf(encoding: Encoding, frames: readonly Frame[], after: number): Batch {
  return { bytes: encoding.frames(frames), to: frames.at(-1)?.revision ?? after };
}
