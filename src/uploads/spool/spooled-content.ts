import { ScratchFile } from './spool-file.js';

const inMemoryUpTo = 256 * 1024;

/**
 * One content that cannot be passed on before more of the request was read. A little stays in memory, more goes to a
 * file; filled again and again by one request, one content at a time.
 */
export class HeldContent {
  #pieces: Uint8Array[] = [];
  #file: ScratchFile | null = null;

  constructor(private readonly folder: string) {}

  /** Reads a content to its end. What was held before is forgotten. */
  async fill(content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.close();
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      this.#pieces.push(piece);
      if (size <= inMemoryUpTo) continue;
      this.#file ??= await ScratchFile.open(this.folder);
      await this.#file.append(this.#pieces.splice(0));
      size = 0;
    }
    if (this.#file) await this.#file.append(this.#pieces.splice(0));
  }

  /** What was filled in; to be read before the next content is. */
  take(): Uint8Array | AsyncIterable<Uint8Array> {
    return this.#file ? this.#file.pieces() : Buffer.concat(this.#pieces.splice(0));
  }

  async close(): Promise<void> {
    this.#pieces = [];
    await this.#file?.close();
    this.#file = null;
  }
}
