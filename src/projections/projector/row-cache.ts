/** A row of a read model, and the position of the event that last changed it. */
export type CachedRow = { readonly row: object; readonly position: bigint };

/**
 * A cache of recently used rows, in two generations. A row is evicted if it is not used while the younger generation
 * fills up. The cache contains at most `2 * most` rows, plus the rows that one batch adds.
 */
export class RowCache {
  #young = new Map<string, CachedRow>();
  #old = new Map<string, CachedRow>();

  constructor(private readonly most: number) {}

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  get(key: string): object | undefined {
    const young = this.#young.get(key);
    if (young) return young.row;
    const old = this.#old.get(key);
    if (!old) return undefined;
    this.#old.delete(key);
    this.#young.set(key, old);
    return old.row;
  }

  set(key: string, row: object, position: bigint): void {
    this.#old.delete(key);
    this.#young.set(key, { row, position });
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  get isFull(): boolean {
    return this.#young.size >= this.most;
  }

  /** Evicts and returns the rows that were not used since the last call, and starts a new generation. */
  evict(): Iterable<CachedRow> {
    const evicted = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    return evicted.values();
  }
}
