/** How long the connections of one address may occupy the event loop in each turn of the loop. */
const SHARE_MS = 1;

/** Decides when to handle data that arrives on a connection. */
export type Turns = {
  /** Calls `act` now if it is the connection’s turn, otherwise later. Returns true if it was called now. */
  take(act: () => void): boolean;
  /**
   * Reports whether the connections of the address have used up their time in this turn of the event loop. If so, the
   * running action should return and do the rest of its work in another `take`.
   */
  isOver(): boolean;
};

/** A `Turns` object for a connection that never waits for others. */
export const AT_ONCE: Turns = {
  take: (act) => {
    act();
    return true;
  },
  isOver: () => false,
};

/**
 * In each turn of the event loop, gives the connections of one address a short time, which they share. Data that cannot
 * be handled in this time waits, in order of arrival. If an address sends the most expensive request possible on a
 * thousand connections, other visitors wait for only one of these requests.
 */
export class SharedTurns implements Turns {
  #spent = 0;
  /** The start time of the running action, or null. */
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
