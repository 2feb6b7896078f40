/**
 * Runs at most `concurrency` pieces of work at once, lets `queueLimit` more wait, first come first served, and refuses
 * the rest.
 */
export class Semaphore {
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly queueLimit: number,
  ) {}

  /** Runs the work, now or when it is its turn. Null, at once, when the queue is full. */
  run<T>(work: () => Promise<T>): Promise<T> | null {
    if (this.#busy < this.concurrency) {
      this.#busy++;
      return this.#do(work);
    }
    if (this.#waiting.length >= this.queueLimit) return null;
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#do(work));
  }

  async #do<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      // The slot passes to the next in the queue; it is free only when none waits.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}
