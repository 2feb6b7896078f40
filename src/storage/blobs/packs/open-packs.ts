import { randomUUID } from 'node:crypto';
import { leftToCleaning } from '../../../kernel/faults/ignored-fault.js';
import type { PackTable } from '../index/pack-table.js';
import type { PackFile } from './pack-file.js';
import type { PackFolder } from './pack-folder.js';

/**
 * Time for which a process writes to a pack: 12 hours. The collector ignores packs for 24 hours after they were created
 * or last indexed. Even a writer that acquired a pack at the last moment therefore has 12 hours to seal it.
 */
const openFor = 12 * 60 * 60 * 1000;
const keptIdle = 4;

/**
 * The packs that this process writes to. A pack has one writer at a time, and the next writer continues at the end of
 * the pack.
 */
export class OpenPackPool {
  #idle: PackFile[] = [];
  readonly #since = new WeakMap<PackFile, number>();
  #closed = false;

  constructor(
    private readonly storage: PackFolder,
    private readonly table: PackTable,
    private readonly now: () => Date,
    private readonly fullAt: number,
  ) {}

  /** Returns a pack for exclusive use until `release`. Throws `StorageFullError`. */
  async acquire(): Promise<PackFile> {
    for (let pack = this.#idle.pop(); pack; pack = this.#idle.pop()) {
      if (this.#canGrow(pack)) return pack;
      await this.#close(pack).catch(leftToCleaning);
    }
    const since = this.now().getTime();
    const id = randomUUID();
    await this.table.register(id);
    try {
      const pack = await this.storage.create(id);
      this.#since.set(pack, since);
      return pack;
    } catch (reason) {
      await this.table.forget(id).catch(leftToCleaning);
      throw reason;
    }
  }

  /** Releases a pack. Never throws: content that is durable stays durable, and the collector removes the rest. */
  async release(pack: PackFile): Promise<void> {
    const keep = this.#canGrow(pack) && !this.#closed && this.#idle.length < keptIdle;
    if (keep) this.#idle.push(pack);
    else await this.#close(pack).catch(leftToCleaning);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const idle = this.#idle;
    this.#idle = [];
    await Promise.all(idle.map((pack) => this.#close(pack).catch(leftToCleaning)));
  }

  #canGrow(pack: PackFile): boolean {
    const age = this.now().getTime() - (this.#since.get(pack) ?? 0);
    return !pack.broken && pack.length < this.fullAt && age < openFor;
  }

  async #close(pack: PackFile): Promise<void> {
    await pack.close();
    if (pack.length > 0) return;
    await this.storage.remove(pack.id);
    await this.table.forget(pack.id);
  }
}
