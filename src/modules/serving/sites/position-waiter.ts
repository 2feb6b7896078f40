type Wait = { readonly position: bigint; readonly end: () => void };

/** Tracks the position up to which the event log has been read. Callers can wait for a position to be reached. */
export class PositionWaiter {
  #position = 0n;
  readonly #waits = new Set<Wait>();

  get position() {
    return this.#position;
  }

  get waiting() {
    return this.#waits.size;
  }

  pass(position: bigint) {
    if (position > this.#position) this.#position = position;
    for (const wait of this.#waits) if (wait.position <= this.#position) wait.end();
  }

  async wait(position: bigint, milliseconds: number): Promise<void> {
    if (position <= this.#position) return;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const wait = { position, end };
    this.#waits.add(wait);
    const timer = setTimeout(end, milliseconds);
    await promise;
    clearTimeout(timer);
    this.#waits.delete(wait);
  }
}
