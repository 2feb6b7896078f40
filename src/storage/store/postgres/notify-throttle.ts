/** The least time between two notifications, in milliseconds. */
const PAUSE = 2;

/**
 * Decides which batches notify other processes that the log has grown. Each notification wakes a connection of every
 * process, which under load costs more than a seventh of all work; so what follows within two milliseconds shares one,
 * sent with the next batch or at the end of the pause.
 */
export class NotifyThrottle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Notifies of all that was appended before. */
    private readonly notify: () => void,
  ) {}

  /**
   * Whether the batch that is sent now is to notify of itself, and so of all before it. If not, a notification follows
   * by itself.
   */
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

  /** Notifies at the end of the pause, unless a batch does so before. */
  notifySoon(): void {
    this.#timer ??= setTimeout(() => this.#notifyNow(), PAUSE);
  }

  /** Sends at once a notification that is still due. */
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
