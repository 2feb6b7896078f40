/** Lets so much work be under way at once, so much more wait for its turn, and refuses what is beyond. */
export class Semaphore {
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly queueLimit: number,
  ) {}

  /** Null, at once, where too much waits already. */
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
      // The turn goes to the next; it is only free when nobody waits.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}
