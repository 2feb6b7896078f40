/** How long one address may keep the event loop in one of its turns, in milliseconds. */
const SHARE_MS = 1;

/** When what arrives on a connection is handled. */
export type Turns = {
  /** Calls `act` at once where the connection has a turn, else when it has one. True if it was at once. */
  take(act: () => void): boolean;
  /** Whether what is being done has had its share, and should leave the rest to another `take`. */
  isOver(): boolean;
};

/** Of a connection that waits for no other. */
export const AT_ONCE: Turns = {
  take: (act) => {
    act();
    return true;
  },
  isOver: () => false,
};

/**
 * Lets the connections of one address take turns with all others. In each turn of the event loop what arrives on
 * them is handled for a moment; the rest waits, in the order it came. So a thousand connections of one address, each
 * with the most expensive request there is, keep another visitor waiting for one of these requests and not for all.
 */
export class SharedTurns implements Turns {
  /** What this turn has taken, in milliseconds. */
  #spent = 0;
  /** When what is being done was begun; null between two. */
  #begun: number | null = null;
  #isScheduled = false;
  readonly #waiting: (() => void)[] = [];

  take(act: () => void): boolean {
    this.#schedule();
    if (this.#waiting.length > 0 || this.isOver()) {
      this.#waiting.push(act);
      return false;
    }
    this.#act(act);
    return true;
  }

  isOver(): boolean {
    const running = this.#begun === null ? 0 : performance.now() - this.#begun;
    return this.#spent + running >= SHARE_MS;
  }

  #act(act: () => void) {
    const begun = performance.now();
    this.#begun = begun;
    try {
      act();
    } finally {
      this.#begun = null;
      this.#spent += performance.now() - begun;
    }
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  readonly #next = () => {
    this.#isScheduled = false;
    this.#spent = 0;
    while (!this.isOver()) {
      const act = this.#waiting.shift();
      if (!act) return;
      this.#schedule();
      this.#act(act);
    }
  };
}
