import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFullIn } from '../../kernel/faults/storage-full.js';

/** What the name of a file begins with as long as it has one. */
export const SCRATCH = 'incoming-';

/**
 * Bytes that have to wait and are too many for memory. The file has no name, so that it is gone with its handle,
 * also after a kill. Throws `StorageFull`.
 */
export class SpoolFile {
  #length = 0;

  private constructor(private readonly file: FileHandle) {}

  /** In a folder that is made when it is not there. */
  static async open(folder: string): Promise<SpoolFile> {
    const path = join(folder, `${SCRATCH}${randomUUID()}`);
    await storageFullIn(mkdir(folder, { recursive: true, mode: 0o700 }));
    const file = await storageFullIn(open(path, 'wx+', 0o600));
    // Another process that starts may have been faster: to it the file is one that a killed process left behind.
    await rm(path, { force: true });
    return new SpoolFile(file);
  }

  get length(): number {
    return this.#length;
  }

  get fd(): number {
    return this.file.fd;
  }

  async append(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const { bytesWritten } = await storageFullIn(this.file.write(piece, at, piece.length - at, this.#length));
        at += bytesWritten;
        this.#length += bytesWritten;
      }
    }
  }

  /** All of it, from its beginning. */
  async *pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.#length; ) {
      const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, at);
      if (bytesRead === 0) throw new Error('A scratch file lost its end.');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** A few bytes; fewer at the end. */
  async at(position: number, count: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(count), 0, count, position);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
