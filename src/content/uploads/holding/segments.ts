/**
 * Splits a body into segments that are stored one after the other, so that received bytes survive a broken connection.
 */
export class Segments {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer | null = null;
  #fault: unknown = null;
  #ended = false;

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Resolves to true if the body has ended, or to false once more data has arrived. */
  async isOver(): Promise<boolean> {
    this.#rest ??= await this.#next();
    return this.#rest === null;
  }

  /**
   * Yields the next `most` bytes. Also ends without an error if the body breaks off; call `assertWhole` to find out.
   */
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

  /** Throws the error that ended the body early, if any. */
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
