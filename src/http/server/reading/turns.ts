/** Pieces of requests that one address has handled in one turn of the event loop. */
const PER_TURN = 4;

/** When what arrives on a connection is handled. */
export type Turns = {
  /** Calls `act` at once where the connection has a turn, else when it has one. True if it was at once. */
  take(act: () => void): boolean;
};

/** Of a connection that waits for no other. */
export const AT_ONCE: Turns = {
  take: (act) => {
    act();
    return true;
  },
};

/**
 * Lets the connections of one address take turns with everybody else's. What arrives on them is handled a few pieces in
 * each turn of the event loop; the rest waits, in the order it came. So a thousand connections of one address, each with
 * the most expensive request there is, keep another visitor waiting for a few of these requests and not for all.
 */
export class SharedTurns implements Turns {
  #taken = 0;
  #isScheduled = false;
  readonly #waiting: (() => void)[] = [];

  take(act: () => void): boolean {
    this.#schedule();
    if (this.#taken >= PER_TURN || this.#waiting.length > 0) {
      this.#waiting.push(act);
      return false;
    }
    this.#taken++;
    act();
    return true;
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  readonly #next = () => {
    this.#isScheduled = false;
    const acts = this.#waiting.splice(0, PER_TURN);
    this.#taken = acts.length;
    if (acts.length > 0) this.#schedule();
    for (const act of acts) act();
  };
}
