/** How long the others are not told again, in milliseconds. */
const PAUSE = 2;

/**
 * Says which batches tell other processes that the log has grown. Each telling wakes a connection of every process,
 * which under load costs more than a seventh of all; so what follows within two milliseconds is told of together, by
 * the next batch or at the end of the pause.
 */
export class NotifyThrottle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Tells of all that was sent before. */
    private readonly notify: () => void,
  ) {}

  /** Whether what is sent now is to tell of itself, and so of all that was sent before. */
  shouldNotify(): boolean {
    const now = performance.now();
    if (now - this.#last < PAUSE) {
      this.notifySoon();
      return false;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = now;
    return true;
  }

  /** Something is not told of yet. */
  notifySoon(): void {
    this.#timer ??= setTimeout(() => this.#notifyNow(), PAUSE);
  }

  /** Does not wait any more. */
  close(): void {
    if (this.#timer) this.#notifyNow();
  }

  #notifyNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    this.notify();
  }
}
