/** Minimum time between two notifications, in milliseconds. */
const PAUSE_MS = 2;

/**
 * Decides which batches notify other processes that the log has grown. A notification wakes a connection in every
 * process. Under load, that takes more than a seventh of all work, so batches within two milliseconds share one
 * notification. It is sent with the next batch or at the end of that time.
 */
export class NotifyThrottle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly notify: () => void) {}

  /**
   * Reports whether the current batch should include a notification. If it returns false, a separate notification
   * follows.
   */
  shouldNotify(): boolean {
    const now = performance.now();
    if (now - this.#last < PAUSE_MS) {
      this.notifySoon();
      return false;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = now;
    return true;
  }

  /** Sends a notification after a pause, unless a batch includes one earlier. */
  notifySoon(): void {
    this.#timer ??= setTimeout(() => this.#notifyNow(), PAUSE_MS);
  }

  /** Sends a pending notification immediately. */
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
