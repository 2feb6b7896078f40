import { type Blob, BlobIntake } from '../blob-store.js';
import type { BlobIndex } from '../index/blob-index.js';
import { computeRecordLocations } from '../index/record-location.js';
import { CoalescedRecords } from './coalesced-records.js';
import { ExclusivePack } from './exclusive-pack.js';
import type { MemoryReservation } from './memory-reservation.js';
import type { OpenPackPool } from './open-packs.js';
import type { PackRecord } from './pack.format.js';
import type { PackWriter } from './pack-writer.js';
import { RecordSlabs } from './record-slabs.js';
import type { RecordWriter } from './record-writer.js';
import type { SlabPool } from './slab-pool.js';

/** Maximum size of content that is buffered in memory. Larger content is written to a pack as it arrives. */
const coalescedUpTo = 1024 * 1024;

/**
 * Minimum number of records for which indexing takes longer than the disk write. From this number on, records are
 * indexed while they are written.
 */
const manyFrom = 64;

export type IntakeParts = {
  readonly index: BlobIndex;
  readonly packs: OpenPackPool;
  readonly writer: PackWriter;
  readonly memory: MemoryReservation;
  readonly slabs: SlabPool;
  /** Maximum memory for the records of one deploy. Half of it is for collecting records, half for writing them. */
  readonly memoryLimit: number;
  /** Throws `StorageFullError` if no more content can be accepted. */
  readonly assertRoom: () => Promise<void>;
};

/** While a stream is being written, free space is checked again after this many bytes. */
const ROOM_FOR = 8 * 1024 * 1024;

/**
 * Receives the content of a deploy. Small deploys are collected in memory, and those sealed at the same time are
 * written together. A larger deploy gets its own pack, which is written while more content arrives. If that deploy is
 * abandoned, its content is cut off from the pack again.
 */
export class PackIntake extends BlobIntake {
  #coalesced: CoalescedRecords;
  readonly #slabs: RecordSlabs;
  readonly #exclusivePack: ExclusivePack;
  /** True once records were passed to the exclusive pack, even if all of their content was already stored. */
  #isLarge = false;
  readonly #added = new Set<string>();
  #ended = false;

  constructor(private readonly parts: IntakeParts) {
    super();
    this.#coalesced = new CoalescedRecords(parts.index, parts.memory);
    this.#slabs = new RecordSlabs(parts.slabs);
    this.#exclusivePack = new ExclusivePack(parts.packs);
  }

  override async add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob> {
    if (this.#ended) throw new Error('This intake is already sealed or abandoned.');
    await this.parts.assertRoom();
    if (!(content instanceof Uint8Array)) return this.#addPieces(content);
    return content.length > coalescedUpTo
      ? this.#addPieces(slices(content))
      : this.#coalesce([content], content.length);
  }

  override async seal(): Promise<void> {
    if (this.#ended) throw new Error('This intake is already sealed or abandoned.');
    try {
      if (this.#isLarge) {
        this.#beginWriting();
        await this.#exclusivePack.seal(this.parts.index);
      } else await this.#sealTogether();
    } catch (reason) {
      await this.abandon();
      throw reason;
    }
    await this.#end({ undone: false });
  }

  override async abandon(): Promise<void> {
    if (!this.#ended) await this.#end({ undone: true });
  }

  async #addPieces(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Blob> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    let room = ROOM_FOR;
    let record: RecordWriter | undefined;
    try {
      for await (const piece of content) {
        size += piece.length;
        if (size > room) {
          await this.parts.assertRoom();
          room = size + ROOM_FOR;
        }
        if (record) await record.write(piece);
        else pieces.push(piece);
        if (record || size <= coalescedUpTo) continue;
        this.#isLarge = true;
        record = await this.#exclusivePack.record();
        for (const early of pieces.splice(0)) await record.write(early);
      }
      return record ? await this.#keepRecord(record) : await this.#coalesce(pieces, size);
    } catch (reason) {
      await record?.discard();
      throw reason;
    }
  }

  async #keepRecord(record: RecordWriter): Promise<Blob> {
    const blob = record.end();
    if (await this.#isThere(blob.sha256)) await record.discard();
    else await this.#exclusivePack.keep(record, blob);
    this.#added.add(blob.sha256);
    return blob;
  }

  async #isThere(sha256: string): Promise<boolean> {
    return this.#added.has(sha256) || (await this.parts.index.touch([sha256])).size > 0;
  }

  async #coalesce(pieces: readonly Uint8Array[], size: number): Promise<Blob> {
    const record = this.#slabs.record(pieces, size);
    const { sha256 } = record;
    if (this.#added.has(sha256)) {
      this.#slabs.undo(record);
      return { sha256, size };
    }
    this.#added.add(sha256);
    this.#coalesced.add(record);
    const { memory, memoryLimit } = this.parts;
    if (this.#coalesced.bytes > memoryLimit / 2 || memory.isExceeded) {
      // Waits for the disk, so that a fast sender does not fill the memory.
      await this.#exclusivePack.written();
      this.#beginWriting();
      if (memory.isExceeded) await this.#exclusivePack.written();
    }
    return { sha256, size };
  }

  #beginWriting(): void {
    this.#isLarge = true;
    this.#exclusivePack.begin(this.#coalesced);
    this.#coalesced = new CoalescedRecords(this.parts.index, this.parts.memory);
  }

  async #sealTogether(): Promise<void> {
    const missing = await this.#coalesced.missing();
    if (missing.length === 0) return;
    if (missing.length >= manyFrom) await this.#sealMany(missing);
    else await this.parts.index.add(await this.parts.writer.commit(missing));
  }

  async #sealMany(records: readonly PackRecord[]): Promise<void> {
    const pack = await this.parts.packs.acquire();
    try {
      const located = computeRecordLocations(pack.id, pack.length, records);
      const durable = pack.append(records.map(({ bytes }) => bytes)).then(() => pack.sync());
      await this.parts.index.addWhenDurable(located, durable);
    } finally {
      await this.parts.packs.release(pack);
    }
  }

  async #end(how: { readonly undone: boolean }): Promise<void> {
    this.#ended = true;
    this.#coalesced.release();
    this.#slabs.end();
    await this.#exclusivePack.release(how);
  }
}

function* slices(content: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < content.length; at += coalescedUpTo) yield content.subarray(at, at + coalescedUpTo);
}
