import { heardElsewhere } from '../../kernel/ignored-fault.js';
import type { BlobIndex } from '../index/blob-index.js';
import type { RecordLocation } from '../index/record-location.js';
import type { MemoryReservation } from './memory-reservation.js';
import type { SlabRecord } from './record-slabs.js';

/** So many contents are looked for at once, while the next ones arrive. */
const lookAtOnce = 256;

/** So many bytes are written without a look whether they are stored, where none of the contents was heard of. */
const unlookedUpTo = 64 * 1024;

/** Records in memory, of which some may be stored already: that is found out while more of them arrive. */
export class CoalescedRecords {
  #records: SlabRecord[] = [];
  #bytes = 0;
  #unlooked: string[] = [];
  readonly #looks: Promise<ReadonlyMap<string, RecordLocation>>[] = [];

  constructor(
    private readonly index: BlobIndex,
    private readonly held: MemoryReservation,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** One of a content that was not added before. */
  add(record: SlabRecord): void {
    this.#records.push(record);
    this.#bytes += record.bytes.length;
    this.held.hold(record.bytes.length);
    if (this.#unlooked.push(record.sha256) >= lookAtOnce) this.#look();
  }

  /**
   * Those that are not stored yet, as far as that is worth finding out: the second place of little that this process
   * has not heard of is room that the collector wins back. What is stored counts as touched.
   */
  async missing(): Promise<SlabRecord[]> {
    if (this.#isLittleAndNew()) return this.#records;
    this.#look();
    const looks = await Promise.all(this.#looks);
    return this.#records.filter(({ sha256 }) => !looks.some((stored) => stored.has(sha256)));
  }

  /** Nobody needs them any more, nor what `missing` answered: their bytes may be another's from now on. */
  release(): void {
    for (const { slab } of this.#records) slab.letGo();
    this.#records = [];
    this.held.release(this.#bytes);
    this.#bytes = 0;
  }

  #isLittleAndNew(): boolean {
    if (this.#looks.length > 0 || this.#bytes > unlookedUpTo) return false;
    return !this.#records.some(({ sha256 }) => this.index.recall(sha256));
  }

  #look(): void {
    if (this.#unlooked.length === 0) return;
    const look = this.index.touch(this.#unlooked);
    look.catch(heardElsewhere);
    this.#looks.push(look);
    this.#unlooked = [];
  }
}
