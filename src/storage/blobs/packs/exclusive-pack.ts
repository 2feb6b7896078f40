import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { Blob } from '../blob-store.js';
import type { BlobIndex } from '../index/blob-index.js';
import { type LocatedRecord, locationsFrom } from '../index/record-location.js';
import type { CoalescedRecords } from './coalesced-records.js';
import type { OpenPacks } from './open-packs.js';
import type { OpenPack } from './pack-storage.js';
import { RecordWriter } from './record-writer.js';

/**
 * A pack that one intake has for itself until it ends, acquired when there is something to write. One call at a time.
 */
export class ExclusivePack {
  #acquired: { readonly pack: OpenPack; readonly start: number } | undefined;
  /** What is in the pack: complete, but neither synced nor indexed yet. */
  readonly #written: LocatedRecord[] = [];
  /** The end of all that was begun in the background. */
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly packs: OpenPacks) {}

  /**
   * Writes in the background, behind what is being written, those of the records that are not stored yet. The records
   * belong to this pack from now on.
   */
  begin(records: CoalescedRecords): void {
    this.#writing = this.#writing.then(() => this.#write(records)).finally(() => records.release());
    this.#writing.catch(heardElsewhere);
  }

  /** Resolves when everything begun is written; throws what went wrong on the way, each time. */
  written(): Promise<void> {
    return this.#writing;
  }

  /** For one content that is too large to be held, behind everything that was begun. Until it ends nothing else begins. */
  async record(): Promise<RecordWriter> {
    await this.written();
    return new RecordWriter(await this.#pack());
  }

  async keep(record: RecordWriter, blob: Blob): Promise<void> {
    this.#written.push(await record.keep(blob));
  }

  /** Resolves when everything is durable and indexed. */
  async seal(index: BlobIndex): Promise<void> {
    await this.written();
    if (!this.#acquired || this.#written.length === 0) return;
    const { pack } = this.#acquired;
    const durable = pack.sync().then(() => {
      // From here on nothing is cut off: whether rows came to point to it may remain unknown.
      this.#acquired = { pack, start: pack.length };
    });
    await index.addWhenDurable(this.#written, durable);
  }

  /**
   * Releases the pack as it is, or with `undone` as it was when it was acquired or last sealed. Harmless when none was
   * acquired.
   */
  async release({ undone }: { readonly undone: boolean }): Promise<void> {
    await this.written().catch(heardElsewhere);
    if (!this.#acquired) return;
    const { pack, start } = this.#acquired;
    this.#acquired = undefined;
    if (undone) await pack.truncate(start);
    await this.packs.release(pack);
  }

  async #write(records: CoalescedRecords): Promise<void> {
    const missing = await records.missing();
    if (missing.length === 0) return;
    const pack = await this.#pack();
    const start = pack.length;
    await pack.append(missing.map(({ bytes }) => bytes));
    for (const located of locationsFrom(pack.id, start, missing)) this.#written.push(located);
  }

  async #pack(): Promise<OpenPack> {
    if (!this.#acquired) {
      const pack = await this.packs.acquire();
      this.#acquired = { pack, start: pack.length };
    }
    return this.#acquired.pack;
  }
}
