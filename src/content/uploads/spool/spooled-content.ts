import { SpoolFile } from './spool-file.js';

const MAX_IN_MEMORY_BYTES = 256 * 1024;

/**
 * Buffers content until more of the request has been read. Small content is kept in memory, larger content in a file.
 * Can be reused for each piece of content in a request.
 */
export class SpooledContent {
  #chunks: Uint8Array[] = [];
  #file: SpoolFile | null = null;

  constructor(private readonly folder: string) {}

  /** Reads content to the end, replacing the previous content. */
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

  /** Returns the content, which must be read before `fill` is called again. */
  take(): Uint8Array | AsyncIterable<Uint8Array> {
    return this.#file ? this.#file.chunks() : Buffer.concat(this.#chunks.splice(0));
  }

  async close(): Promise<void> {
    this.#chunks = [];
    await this.#file?.close();
    this.#file = null;
  }
}
