/** Limits the number of bytes that several tasks use at the same time. */
export class ByteLimit {
  readonly #max: number;
  #used = 0;
  #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs a task as soon as its bytes fit. Small tasks may overtake a large one, so that fewer of them have to wait. */
  async run<Result>(bytes: number, task: () => Promise<Result>): Promise<Result> {
    while (this.#used + bytes > this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#used += bytes;
    try {
      return await task();
    } finally {
      this.#used -= bytes;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    }
  }
}
