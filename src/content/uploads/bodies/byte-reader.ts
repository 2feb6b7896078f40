const nothing = Buffer.alloc(0);

/**
 * A reader whose bytes can be inspected before they are consumed. Buffers the last chunk and all unconsumed bytes. If
 * callers call `more` without consuming bytes, they must limit the size themselves.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer;

  /** `prefix` is read before the first chunk. */
  constructor(chunks: AsyncIterable<Uint8Array>, prefix: Buffer = nothing) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.#buffer = prefix;
  }

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

  /** Consumes and returns `count` bytes, or fewer if the buffer is shorter. */
  take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  /**
   * Consumes and returns exactly `count` bytes. Returns null, without consuming any, if the stream ends before that.
   */
  async exactly(count: number): Promise<Buffer | null> {
    if (this.#buffer.length >= count) return this.take(count);
    // Copy only the requested bytes instead of everything that has arrived.
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

  /** Yields `count` bytes as they arrive. Throws `endError()` if the stream ends before that. */
  async *chunks(count: number, endError: () => Error): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#buffer.length === 0 && !(await this.more())) throw endError();
      const chunk = this.take(left);
      left -= chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
