/** Ensures that no command outlives its sandbox, including one that is about to start. */
export class RunningCommands {
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Calls `work` with a signal that aborts when the given signal aborts or the sandbox is closed. */
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

  /** Stops all commands and prevents new ones. Resolves when all have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('This build’s sandbox has been closed.'));
    await Promise.allSettled(this.#running);
  }
}
