import { SpoolFile } from './spool-file.js';

const MAX_IN_MEMORY_BYTES = 256 * 1024;

/**
 * Holds one content that cannot be passed on before more of the request is read: a little in memory, more in a file.
 * One request fills it again and again, with one content at a time.
 */
export class SpooledContent {
  #chunks: Uint8Array[] = [];
  #file: SpoolFile | null = null;

  constructor(private readonly folder: string) {}

  /** Reads a content to its end, and forgets the one before. */
  async fill(content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.close();
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      this.#chunks.push(chunk);
      if (size <= MAX_IN_MEMORY_BYTES) continue;
      this.#file ??= await SpoolFile.open(this.folder);
      await this.#file.append(this.#chunks.splice(0));
      size = 0;
    }
    if (this.#file) await this.#file.append(this.#chunks.splice(0));
  }

  /** The content, to be read before the next one is filled in. */
  take(): Uint8Array | AsyncIterable<Uint8Array> {
    return this.#file ? this.#file.chunks() : Buffer.concat(this.#chunks.splice(0));
  }

  async close(): Promise<void> {
    this.#chunks = [];
    await this.#file?.close();
    this.#file = null;
  }
}
