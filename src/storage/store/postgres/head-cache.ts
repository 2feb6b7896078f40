import { LRUCache } from 'lru-cache';
import type { Head } from '../../../kernel/event-store.js';

const MOST = 10_000;

/** Heads of the chained streams that were seen last, so that an append need not read the last hash again. An event never changes. */
export class HeadCache {
  readonly #heads = new LRUCache<string, Head>({ max: MOST });

  /** Remembers a head, unless a newer one of its stream is known or the stream is not chained. */
  set(stream: string, { revision, hash }: Head): void {
    if (hash === null || revision < (this.#heads.peek(stream)?.revision ?? 0)) return;
    this.#heads.set(stream, { revision, hash }); // not the object that came: it may be a whole event
  }

  /** The hash of the stream’s event of this revision; undefined when it is not known here. */
  hashAt(stream: string, revision: number): string | undefined {
    const head = this.#heads.peek(stream);
    return head?.revision === revision ? (head.hash ?? undefined) : undefined;
  }
}
