import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../../../kernel/faults/error-code.js';
import { storageError } from '../../../kernel/faults/storage-full.js';
import { OpenFiles } from './open-files.js';
import { PackFile } from './pack-file.js';

const filesOpenForReading = 128;
const packName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.pack$/;

/** Stores packs as files in one folder, named `{id}.pack`. */
export class PackFolder {
  readonly #files: OpenFiles;

  constructor(readonly path: string) {
    this.#files = new OpenFiles((id) => this.#open(id), filesOpenForReading);
  }

  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /** Creates an empty pack durably. Fails if a pack with this ID exists. Throws `StorageFullError`. */
  async create(id: string): Promise<PackFile> {
    try {
      const file = await open(this.#file(id), 'wx+', 0o640);
      try {
        await this.#syncFolder();
        return new PackFile(id, file);
      } catch (reason) {
        await file.close();
        await unlink(this.#file(id));
        throw reason;
      }
    } catch (reason) {
      throw storageError(reason);
    }
  }

  /** Reads up to `length` bytes of a pack, even while a process appends to it. Throws `PackMissingError`. */
  async read(id: string, offset: number, length: number): Promise<Buffer> {
    return this.#files.use(id, async (file) => {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    });
  }

  /** Lists all packs, including those of other processes. */
  async *list(): AsyncIterable<{ readonly id: string; readonly bytes: number }> {
    for (const name of await readdir(this.path)) {
      const id = packName.exec(name)?.[1];
      if (id === undefined) continue;
      try {
        yield { id, bytes: (await stat(this.#file(id))).size };
      } catch (reason) {
        if (!isCode(reason, 'ENOENT')) throw reason;
      }
    }
  }

  /** Syncs a pack that no process is writing to. Throws `PackMissingError`. */
  async sync(id: string): Promise<void> {
    await this.#files.use(id, (file) => file.datasync());
  }

  /**
   * Removes a pack and frees its space, even while another process reads it. Returns the pack’s size, or 0 if it is
   * missing.
   */
  async remove(id: string): Promise<number> {
    await this.#files.forget(id);
    try {
      const file = await open(this.#file(id), 'r+');
      try {
        const { size } = await file.stat();
        // Truncates the file before removing it, because a removed file uses space as long as any process has it open.
        await file.truncate(0);
        await unlink(this.#file(id));
        await this.#syncFolder();
        return size;
      } finally {
        await file.close();
      }
    } catch (reason) {
      if (isCode(reason, 'ENOENT')) return 0;
      throw reason;
    }
  }

  async close(): Promise<void> {
    await this.#files.close();
  }

  #file(id: string): string {
    return join(this.path, `${id}.pack`);
  }

  async #open(id: string): Promise<FileHandle> {
    try {
      return await open(this.#file(id), 'r');
    } catch (reason) {
      throw isCode(reason, 'ENOENT') ? new PackMissingError(id) : reason;
    }
  }

  /** Syncs the folder, so that added and removed files are durable. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

export class PackMissingError extends Error {
  override readonly name = 'PackMissingError';
  constructor(readonly id: string) {
    super(`Pack ${id} does not exist.`);
  }
}
