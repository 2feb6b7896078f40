import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { BlobIndex } from '../index/blob-index.js';
import type { RecordLocation } from '../index/record-location.js';
import type { MemoryReservation } from './memory-reservation.js';
import type { SlabRecord } from './record-slabs.js';

/** How many contents are looked up at once, while the next ones arrive. */
const checkedAtOnce = 256;

/**
 * Up to this many bytes are written without checking whether they are stored, if none of the contents is in the cache.
 */
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
   * Those that are not stored yet, as far as that is worth finding out: a second copy of a little content that this
   * process does not know is room that the collector reclaims. What is stored counts as touched.
   */
  async missing(): Promise<SlabRecord[]> {
    if (this.#isLittleAndNew()) return this.#records;
    this.#check();
    const checks = await Promise.all(this.#checks);
    return this.#records.filter(({ sha256 }) => !checks.some((stored) => stored.has(sha256)));
  }

  /** Gives up the records, also those that `missing` answered: their memory may be reused from now on. */
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
    check.catch(heardElsewhere);
    this.#checks.push(check);
    this.#unchecked = [];
  }
}
