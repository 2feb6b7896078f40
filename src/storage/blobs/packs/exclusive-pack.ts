import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { Blob } from '../blob-store.js';
import type { BlobIndex } from '../index/blob-index.js';
import { computeRecordLocations, type LocatedRecord } from '../index/record-location.js';
import type { CoalescedRecords } from './coalesced-records.js';
import type { OpenPackPool } from './open-packs.js';
import type { PackFile } from './pack-file.js';
import { RecordWriter } from './record-writer.js';

/** A pack to which only one deploy writes. It is acquired on the first write. Calls must not overlap. */
export class ExclusivePack {
  #acquired: { readonly pack: PackFile; readonly start: number } | undefined;
  /** Records that were written completely, but are not yet synced and indexed. */
  readonly #written: LocatedRecord[] = [];
  /** Resolves when all previous background writes have finished. */
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly packs: OpenPackPool) {}

  /**
   * Writes records in the background, unless their content is already stored. The caller must not use the records
   * again.
   */
  begin(records: CoalescedRecords): void {
    this.#writing = this.#writing.then(() => this.#write(records)).finally(() => records.release());
    this.#writing.catch(heardElsewhere);
  }

  /** Resolves when all started writes have finished. If a write fails, every call rejects with the first error. */
  written(): Promise<void> {
    return this.#writing;
  }

  /**
   * Starts a record for content that is too large to buffer, after all previous writes. No other write can start
   * until the record is finished.
   */
  async record(): Promise<RecordWriter> {
    await this.written();
    return new RecordWriter(await this.#pack());
  }

  async keep(record: RecordWriter, blob: Blob): Promise<void> {
    this.#written.push(await record.keep(blob));
  }

  /** Resolves once all written records are durable and indexed. */
  async seal(index: BlobIndex): Promise<void> {
    await this.written();
    if (!this.#acquired || this.#written.length === 0) return;
    const { pack } = this.#acquired;
    const durable = pack.sync().then(() => {
      // From here on, the pack must not be truncated, because index rows that point to these records may have been
      // committed.
      this.#acquired = { pack, start: pack.length };
    });
    await index.addWhenDurable(this.#written, durable);
  }

  /**
   * Releases the pack, if one was acquired. With `undone`, first truncates the pack to its length at the last `seal`.
   * If there was none, truncates it to its length when it was acquired.
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
    for (const located of computeRecordLocations(pack.id, start, missing)) this.#written.push(located);
  }

  async #pack(): Promise<PackFile> {
    if (!this.#acquired) {
      const pack = await this.packs.acquire();
      this.#acquired = { pack, start: pack.length };
    }
    return this.#acquired.pack;
  }
}
