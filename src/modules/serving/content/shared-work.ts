/** Avoids duplicate work. While the work for a key is running, all callers that request this key get its result. */
export class SharedWork<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /**
   * Starts the work unless it is already running for this key. If the work fails, all its callers get the error, and
   * the next call starts the work again.
   */
  of(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const begun = work().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}
