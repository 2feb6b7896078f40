import { LRUCache } from 'lru-cache';
import type { Head } from '../../../kernel/event-store.js';

const MAX_STREAMS = 10_000;

/**
 * Caches the heads of recently used chained streams, so that an append does not have to read the last hash again. This
 * is safe because events never change.
 */
export class HeadCache {
  readonly #heads = new LRUCache<string, Head>({ max: MAX_STREAMS });

  /** Stores a head. Does nothing if a newer head of the stream is cached, or if the stream has no hash chain. */
  set(stream: string, { revision, hash }: Head): void {
    if (hash === null || revision < (this.#heads.peek(stream)?.revision ?? 0)) return;
    this.#heads.set(stream, { revision, hash }); // copied, because the given object may be a whole event
  }

  /** Returns the hash of the stream’s event at this revision, or undefined if it is not cached. */
  hashAt(stream: string, revision: number): string | undefined {
    const head = this.#heads.peek(stream);
    return head?.revision === revision ? (head.hash ?? undefined) : undefined;
  }
}
