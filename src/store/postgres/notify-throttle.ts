/** How long the others are not told again, in milliseconds. */
const PAUSE = 2;

/**
 * Says which batches tell other processes that the log has grown. Each telling wakes a connection of every process,
 * which under load costs more than a seventh of all; so what follows within two milliseconds is told of together, by
 * the next batch or at the end of the pause.
 */
export class Bell {
  #last = Number.NEGATIVE_INFINITY;
  #late: NodeJS.Timeout | undefined;

  constructor(
    /** Tells of all that was sent before. */
    private readonly ring: () => void,
  ) {}

  /** Whether what is sent now is to tell of itself, and so of all that was sent before. */
  sounds(): boolean {
    const now = performance.now();
    if (now - this.#last < PAUSE) {
      this.later();
      return false;
    }
    clearTimeout(this.#late);
    this.#late = undefined;
    this.#last = now;
    return true;
  }

  /** Something is not told of yet. */
  later(): void {
    this.#late ??= setTimeout(() => this.#now(), PAUSE);
  }

  /** Does not wait any more. */
  close(): void {
    if (this.#late) this.#now();
  }

  #now() {
    clearTimeout(this.#late);
    this.#late = undefined;
    this.#last = performance.now();
    this.ring();
  }
}
