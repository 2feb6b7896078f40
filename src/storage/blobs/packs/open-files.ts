import type { FileHandle } from 'node:fs/promises';

type OpenFile = { readonly handle: Promise<FileHandle>; users: number; forgotten: boolean };

/** Keeps the most recently used files open for reading. An evicted file is closed after its last read. */
export class OpenFiles {
  readonly #files = new Map<string, OpenFile>();

  constructor(
    private readonly open: (id: string) => Promise<FileHandle>,
    private readonly limit: number,
  ) {}

  async use<Result>(id: string, read: (file: FileHandle) => Promise<Result>): Promise<Result> {
    const file = this.#files.get(id) ?? { handle: this.open(id), users: 0, forgotten: false };
    this.#files.delete(id);
    this.#files.set(id, file);
    file.users++;
    try {
      await this.#forgetOldest();
      return await read(await file.handle);
    } catch (reason) {
      // Does not cache a failure to open the file, so that the next reader tries again.
      if (this.#files.get(id) === file) await this.forget(id);
      throw reason;
    } finally {
      file.users--;
      await this.#closeUnused(file);
    }
  }

  async forget(id: string): Promise<void> {
    const file = this.#files.get(id);
    if (!file) return;
    this.#files.delete(id);
    file.forgotten = true;
    await this.#closeUnused(file);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((id) => this.forget(id)));
  }

  async #forgetOldest(): Promise<void> {
    if (this.#files.size <= this.limit) return;
    const [oldest] = this.#files.keys();
    if (oldest !== undefined) await this.forget(oldest);
  }

  async #closeUnused(file: OpenFile): Promise<void> {
    if (!file.forgotten || file.users > 0) return;
    await file.handle.then(
      (handle) => handle.close(),
      () => undefined,
    );
  }
}
