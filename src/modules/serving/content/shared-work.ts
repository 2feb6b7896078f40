/** Shares work: callers that request a key while its work is running get the same result. */
export class SharedWork<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /** Starts the work unless it is running for this key. A failure is shared too; the next call starts again. */
  of(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const begun = work().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}
