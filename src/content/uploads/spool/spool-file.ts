import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { detectFullStorage } from '../../../kernel/faults/storage-full.js';

export const SPOOL_PREFIX = 'incoming-';

/**
 * A file for bytes that cannot be passed on yet and are too large for memory. It has no name, so it disappears even if
 * the process is killed. Throws `StorageFullError`.
 */
export class SpoolFile {
  #length = 0;

  private constructor(private readonly file: FileHandle) {}

  /** Opens an empty file. Creates the folder if it is missing. */
  static async open(folder: string): Promise<SpoolFile> {
    const path = join(folder, `${SPOOL_PREFIX}${randomUUID()}`);
    await detectFullStorage(mkdir(folder, { recursive: true, mode: 0o700 }));
    const file = await detectFullStorage(open(path, 'wx+', 0o600));
    // Another process that is starting may already have removed the file as a leftover.
    await rm(path, { force: true });
    return new SpoolFile(file);
  }

  get length(): number {
    return this.#length;
  }

  get fd(): number {
    return this.file.fd;
  }

  async append(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await detectFullStorage(this.file.write(chunk, at, chunk.length - at, this.#length));
        at += bytesWritten;
        this.#length += bytesWritten;
      }
    }
  }

  /** Yields everything that was appended to the file, from the start. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.#length; ) {
      const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, at);
      if (bytesRead === 0) throw new Error('The temporary file of an upload is shorter than expected.');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Reads `count` bytes at a position, or fewer at the end of the file. */
  async at(position: number, count: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(count), 0, count, position);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
