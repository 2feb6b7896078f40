const nothing = Buffer.alloc(0);

/**
 * Bytes as they arrive, looked at before they are taken. Holds the last piece and what was left of those before it,
 * so that whoever asks for more without taking sets its own bound.
 */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #buffer: Buffer;

  /** `before` is read as if it stood before the first piece. */
  constructor(pieces: AsyncIterable<Uint8Array>, before: Buffer = nothing) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#buffer = before;
  }

  /** What has arrived and was not taken. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Waits for the next piece; false when there is none. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done) return false;
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#buffer = this.#buffer.length === 0 ? piece : Buffer.concat([this.#buffer, piece]);
    return true;
  }

  /** The first bytes of the buffer; no more than there are. */
  take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  /** Exactly so many bytes; null, with nothing taken, when the end comes first. */
  async exactly(count: number): Promise<Buffer | null> {
    while (this.#buffer.length < count) if (!(await this.more())) return null;
    return this.take(count);
  }

  /** The next so many bytes as they arrive. Throws what `short` makes when the end comes first. */
  async *pieces(count: number, short: () => Error): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#buffer.length === 0 && !(await this.more())) throw short();
      const piece = this.take(left);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  /** Ends the source, which may then tidy up. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
