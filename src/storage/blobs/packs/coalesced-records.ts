import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import type { BlobIndex } from '../index/blob-index.js';
import type { RecordLocation } from '../index/record-location.js';
import type { MemoryReservation } from './memory-reservation.js';
import type { PendingRecord } from './record-slabs.js';

const checkedAtOnce = 256;

/** Records of up to this total size are written without an index lookup if none of their content is in the cache. */
const uncheckedUpTo = 64 * 1024;

/** Records held in memory. They are looked up in the index together while more records arrive. */
export class CoalescedRecords {
  #records: PendingRecord[] = [];
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

  /** Adds a record. Its content must not have been added before. */
  add(record: PendingRecord): void {
    this.#records.push(record);
    this.#bytes += record.bytes.length;
    this.memory.reserve(record.bytes.length);
    if (this.#unchecked.push(record.sha256) >= checkedAtOnce) this.#check();
  }

  /**
   * Marks content that is already stored as touched, and returns the records of all other content. A small amount of
   * content is not looked up if none of it is in the cache. If it is thereby stored twice, the collector reclaims the
   * space.
   */
  async missing(): Promise<PendingRecord[]> {
    if (this.#isLittleAndNew()) return this.#records;
    this.#check();
    const checks = await Promise.all(this.#checks);
    return this.#records.filter(({ sha256 }) => !checks.some((stored) => stored.has(sha256)));
  }

  /** Releases all records, including those that `missing` returned. */
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
