const nothing = Buffer.alloc(0);

/**
 * Reads a stream of bytes that can be inspected before they are consumed. Buffers the last chunk and the unconsumed
 * rest of earlier ones, so a caller that calls `more` without consuming bytes must limit the size itself.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer;

  /** `prefix` is read before the first chunk. */
  constructor(chunks: AsyncIterable<Uint8Array>, prefix: Buffer = nothing) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.#buffer = prefix;
  }

  /** The bytes that have arrived but have not been consumed. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Waits for the next chunk. Resolves to false if there is none. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    return true;
  }

  /** Consumes the first `count` bytes of the buffer, or all of it if it is shorter. */
  take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  /** Consumes exactly `count` bytes. If the stream ends before that, resolves to null without consuming any. */
  async exactly(count: number): Promise<Buffer | null> {
    if (this.#buffer.length >= count) return this.take(count);
    // Copies only the requested bytes, not everything that has arrived after them.
    const pieces: Buffer[] = [];
    let missing = count;
    do {
      pieces.push(this.#buffer);
      missing -= this.#buffer.length;
      this.#buffer = nothing;
      if (await this.more()) continue;
      this.#buffer = Buffer.concat(pieces);
      return null;
    } while (this.#buffer.length < missing);
    return Buffer.concat([...pieces, this.take(missing)], count);
  }

  /** Yields the next `count` bytes as they arrive. Throws `endError()` if the stream ends before that. */
  async *chunks(count: number, endError: () => Error): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#buffer.length === 0 && !(await this.more())) throw endError();
      const chunk = this.take(left);
      left -= chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  }

  /** Ends the source so that it can clean up. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
