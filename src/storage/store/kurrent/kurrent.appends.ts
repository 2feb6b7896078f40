import esdb from '@eventstore/db-client';
import type { Appended, Head, RawEvent } from '../../../kernel/event-store.js';
import { PATIENCE_MS, withRetry } from '../../postgres/retry.js';
import type { HeadCache } from '../postgres/head-cache.js';
import type { Recording } from '../stored-event.js';
import { isTransient, type KurrentConnection } from './kurrent.connection.js';
import { toWire } from './kurrent.envelope.js';
import type { KurrentStreams } from './kurrent.streams.js';

/** Appends events to streams. Each append takes effect at most once, no matter how often it is sent. */
export class KurrentAppends {
  readonly #connection: KurrentConnection;
  readonly #streams: KurrentStreams;
  readonly #heads: HeadCache;
  readonly #recording: Recording;

  constructor(parts: {
    readonly connection: KurrentConnection;
    readonly streams: KurrentStreams;
    readonly heads: HeadCache;
    readonly recording: Recording;
  }) {
    this.#connection = parts.connection;
    this.#streams = parts.streams;
    this.#heads = parts.heads;
    this.#recording = parts.recording;
  }

  /** Appends events to a stream. Returns `conflict` if the stream is not at `head`. */
  async append(stream: string, head: Head, stored: readonly RawEvent[]): Promise<Appended | 'conflict'> {
    if (!(await withRetry(() => this.#standsAt(stream, head), isTransient))) return this.#alreadyAppended(stored);
    const wire = stored.map((event) => toWire(this.#recording.digest, event));
    const deadline = performance.now() + PATIENCE_MS;
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
   * Reports whether the last event of a chained stream has the hash in `head`. Reads only the event at that revision:
   * events never change, and the append’s expected revision ensures that no event follows it.
   */
  async #standsAt(stream: string, head: Head): Promise<boolean> {
    if (!this.#recording.isChained(stream)) return true;
    if (head.revision === 0) return head.hash === null;
    const seen = this.#heads.hashAt(stream, head.revision);
    if (seen !== undefined) return seen === head.hash;
    const [existing] = await this.#streams.slice(stream, head.revision, 1);
    return existing !== undefined && existing.hash === head.hash;
  }

  /**
   * Called if an append was refused. If its events exist, an earlier attempt succeeded but its response was lost. In
   * that case, returns the result of the earlier attempt, otherwise `conflict`.
   */
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
}
