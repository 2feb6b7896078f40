import type { FileHandle } from 'node:fs/promises';
import { storageError } from '../../../kernel/faults/storage-full.js';

/** A pack that only this process writes to. Calls must not overlap, except for `sync`. */
export class PackFile {
  #length = 0;
  #broken = false;

  constructor(
    readonly id: string,
    private readonly file: FileHandle,
  ) {}

  get length(): number {
    return this.#length;
  }

  /**
   * True if the pack’s content is uncertain. Nothing can be appended to it, but content that was synced earlier is
   * still valid.
   */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Appends all of the bytes or none. Throws `StorageFullError` if there is no space left. A failure may leave the
   * pack broken.
   */
  async append(bytes: readonly Uint8Array[]): Promise<void> {
    if (this.#broken) throw new Error(`Pack ${this.id} is broken.`);
    const before = this.#length;
    try {
      this.#length += await writeAll(this.file, bytes, before);
    } catch (reason) {
      await this.truncate(before);
      throw storageError(reason);
    }
  }

  /** Overwrites bytes that were appended but not synced. */
  async patch(at: number, bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(this.file, [bytes], at);
    } catch (reason) {
      this.#broken = true;
      throw storageError(reason);
    }
  }

  /** Truncates the pack. Never throws: if truncation fails, the pack is broken. */
  async truncate(length: number): Promise<void> {
    try {
      await this.file.truncate(length);
      this.#length = length;
    } catch {
      this.#broken = true;
    }
  }

  /**
   * Makes everything appended so far durable. Throws `StorageFullError`. After any failure the pack stays broken,
   * because the kernel may discard pages that it could not write and then report success for the next sync.
   */
  async sync(): Promise<void> {
    if (this.#broken) throw new Error(`Pack ${this.id} is broken.`);
    try {
      await this.file.datasync();
    } catch (reason) {
      this.#broken = true;
      throw storageError(reason);
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/**
 * Writes all bytes. On a nearly full disk and beyond 2 GiB, the system writes only some of the bytes without an
 * error.
 */
async function writeAll(file: FileHandle, bytes: readonly Uint8Array[], position: number): Promise<number> {
  let rest = bytes.filter((one) => one.length > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
  return at - position;
}

function after(bytes: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written;
  const whole = bytes.findIndex((one) => {
    if (one.length > skip) return true;
    skip -= one.length;
    return false;
  });
  if (whole === -1) return [];
  return bytes.slice(whole).map((one, i) => (i === 0 ? one.subarray(skip) : one));
}
