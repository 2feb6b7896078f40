/** Runs up to `concurrency` tasks in parallel, queues up to `queueLimit` more, and refuses the rest. */
export class Semaphore {
  #busy = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly queueLimit: number,
  ) {}

  /** Runs the work when a slot is free. Returns null immediately if the queue is full. */
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
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}
