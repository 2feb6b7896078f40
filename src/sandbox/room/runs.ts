/** The commands of one room that run, so that none outlives it: also one that is just about to begin. */
export class Runs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Does the work with a signal that is aborted with the one that is given, or when the room is closed. */
  async run<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    either.throwIfAborted();
    const running = work(either);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Stops all runs and prevents new ones. Resolves when all have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('This build’s sandbox has been closed.'));
    await Promise.allSettled(this.#running);
  }
}
