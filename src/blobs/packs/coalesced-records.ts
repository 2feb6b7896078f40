import type { BlobIndex } from '../index/blob-index.js';
import type { RecordLocation } from '../index/record-location.js';
import type { MemoryReservation } from './memory-reservation.js';
import type { SlabRecord } from './record-slabs.js';

/** So many contents are looked for at once, while the next ones arrive. */
const checkedAtOnce = 256;

/** So many bytes are written without a look whether they are stored, where none of the contents was heard of. */
const uncheckedUpTo = 64 * 1024;

/** Records in memory, of which some may be stored already: that is found out while more of them arrive. */
export class CoalescedRecords {
  #records: SlabRecord[] = [];
  #bytes = 0;
  #unchecked: string[] = [];
  readonly #checks: Promise<ReadonlyMap<string, RecordLocation>>[] = [];

  constructor(
    private readonly index: BlobIndex,
    private readonly memory: MemoryReservation,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** One of a content that was not added before. */
  add(record: SlabRecord): void {
    this.#records.push(record);
    this.#bytes += record.bytes.length;
    this.memory.reserve(record.bytes.length);
    if (this.#unchecked.push(record.sha256) >= checkedAtOnce) this.#check();
  }

  /**
   * Those that are not stored yet, as far as that is worth finding out: the second place of little that this process
   * has not heard of is room that the collector wins back. What is stored counts as touched.
   */
  async missing(): Promise<SlabRecord[]> {
    if (this.#isLittleAndNew()) return this.#records;
    this.#check();
    const checks = await Promise.all(this.#checks);
    return this.#records.filter(({ sha256 }) => !checks.some((stored) => stored.has(sha256)));
  }

  /** Nobody needs them any more, nor what `missing` answered: their bytes may be another's from now on. */
  release(): void {
    for (const { slab } of this.#records) slab.release();
    this.#records = [];
    this.memory.release(this.#bytes);
    this.#bytes = 0;
  }

  #isLittleAndNew(): boolean {
    if (this.#checks.length > 0 || this.#bytes > uncheckedUpTo) return false;
    return !this.#records.some(({ sha256 }) => this.index.cachedLocation(sha256));
  }

  #check(): void {
    if (this.#unchecked.length === 0) return;
    const check = this.index.touch(this.#unchecked);
    // Heard by whoever waits for it; until then it must not end the process.
    check.catch(() => undefined);
    this.#checks.push(check);
    this.#unchecked = [];
  }
}
