import { LRUCache } from 'lru-cache';
import type { Head } from '../../../kernel/event-store.js';

const MAX_STREAMS = 10_000;

/**
 * Caches the heads of chained streams, so that appends need not read the last hash. Cached hashes never become
 * invalid, because events never change.
 */
export class HeadCache {
  readonly #heads = new LRUCache<string, Head>({ max: MAX_STREAMS });

  /** Stores a head, unless a newer one is cached or the stream has no hash chain. */
  set(stream: string, { revision, hash }: Head): void {
    if (hash === null || revision < (this.#heads.peek(stream)?.revision ?? 0)) return;
    // Copies two fields, because the argument may be a whole event, which should not stay in memory.
    this.#heads.set(stream, { revision, hash });
  }

  hashAt(stream: string, revision: number): string | undefined {
    const head = this.#heads.peek(stream);
    return head?.revision === revision ? (head.hash ?? undefined) : undefined;
  }
}
