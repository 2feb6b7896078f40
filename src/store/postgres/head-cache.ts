import type { Head } from '../../kernel/event-store.js';

const MOST = 10_000;

/** The hashes of the last events that were seen of chained streams, so that an append need not ask for them again. An event never changes. */
export class HeadCache {
  readonly #heads = new Map<string, Head>();

  set(stream: string, { revision, hash }: Head): void {
    if (hash === null || revision < (this.#heads.get(stream)?.revision ?? 0)) return;
    this.#heads.delete(stream); // to stand last, as the youngest
    this.#heads.set(stream, { revision, hash }); // not what came with it: it may be a whole event
    const [oldest] = this.#heads.size > MOST ? this.#heads.keys() : [];
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  /** The hash of the stream’s event of this revision; undefined when it is not known here. */
  hashAt(stream: string, revision: number): string | undefined {
    const head = this.#heads.get(stream);
    return head?.revision === revision ? (head.hash ?? undefined) : undefined;
  }
}
