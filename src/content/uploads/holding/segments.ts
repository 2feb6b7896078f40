/** A body in pieces that are stored one after the other, so that what arrived outlasts a connection that is cut. */
export class Segments {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer | null = null;
  #fault: unknown = null;
  #ended = false;

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Whether there is nothing more to take. Waits until something arrives. */
  async isOver(): Promise<boolean> {
    this.#rest ??= await this.#next();
    return this.#rest === null;
  }

  /** What arrives next, `most` bytes of it. A body that breaks off ends here like any other; `assertWhole` tells. */
  async *take(most: number): AsyncGenerator<Buffer> {
    for (let left = most; left > 0; ) {
      const chunk = this.#rest ?? (await this.#next());
      if (chunk === null) return;
      this.#rest = chunk.length > left ? chunk.subarray(left) : null;
      const taken = chunk.length > left ? chunk.subarray(0, left) : chunk;
      left -= taken.length;
      yield taken;
    }
  }

  /** Throws what the body broke off with, if it did. */
  assertWhole(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  async #next(): Promise<Buffer | null> {
    if (this.#ended) return null;
    try {
      const { done, value } = await this.#chunks.next();
      if (!done) return value;
    } catch (error) {
      this.#fault = error;
    }
    this.#ended = true;
    return null;
  }
}
