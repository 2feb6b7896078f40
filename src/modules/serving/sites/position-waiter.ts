/** How far a reader of the log has come, for callers that wait for it. */
export class PositionWaiter {
  #position = 0n;
  #waiting: { readonly for: bigint; readonly go: () => void }[] = [];

  get position() {
    return this.#position;
  }

  pass(position: bigint) {
    if (position > this.#position) this.#position = position;
    const [ready, waiting] = [
      this.#waiting.filter((waiter) => waiter.for <= this.#position),
      this.#waiting.filter((waiter) => waiter.for > this.#position),
    ];
    this.#waiting = waiting;
    for (const { go } of ready) go();
  }

  /** Resolves when `position` is passed, or after the time, whichever is first. */
  async wait(position: bigint, milliseconds: number): Promise<void> {
    if (position <= this.#position) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#waiting.push({
        for: position,
        go: () => {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }
}
