import type { BlobIndex } from './blob-index.js';
import { type Blob, BlobIntake } from './blob-store.js';
import type { HeldMemory } from './held-memory.js';
import type { OpenPacks } from './open-packs.js';
import type { PackRecord } from './pack.format.js';
import type { OpenPack } from './pack-storage.js';
import type { PackWriter } from './pack-writer.js';
import { type Place, type Placed, placesFrom } from './place.js';
import { RecordSlabs } from './record-slabs.js';
import { RecordWriter } from './record-writer.js';

/** Content up to this is gathered; what is larger goes to a pack as it arrives. */
const wholeUpTo = 1024 * 1024;

/** So many contents are looked for at once, while the next ones arrive. */
const lookAtOnce = 256;
/** From so many on, writing the index takes longer than the disk does, and both are done at the same time. */
const manyFrom = 64;

export type IntakeParts = {
  readonly index: BlobIndex;
  readonly packs: OpenPacks;
  readonly writer: PackWriter;
  readonly held: HeldMemory;
  /** Bytes of records that one intake gathers before it writes them. */
  readonly gatherUpTo: number;
};

/**
 * A small deploy is gathered in memory and written at `seal`, together with others that end at the same time. One that
 * grows larger borrows a pack for itself, and gives it back as it was when the deploy is abandoned.
 */
export class PackIntake extends BlobIntake {
  /** Records by digest, not written yet. */
  #gathered = new Map<string, PackRecord>();
  #gatheredBytes = 0;
  readonly #slabs = new RecordSlabs();
  /** Gathered, and not yet looked for. */
  #unlooked: string[] = [];
  #looks: Promise<ReadonlyMap<string, Place>>[] = [];

  #own: { readonly pack: OpenPack; readonly start: number } | undefined;
  /** What is in the own pack, by digest: complete, but neither synced nor indexed yet. */
  readonly #written = new Map<string, Placed>();
  #ended = false;

  constructor(private readonly parts: IntakeParts) {
    super();
  }

  override async add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob> {
    if (this.#ended) throw new Error('This intake was sealed or abandoned.');
    if (!(content instanceof Uint8Array)) return this.#addPieces(content);
    return content.length > wholeUpTo ? this.#addPieces(slices(content)) : this.#gather([content], content.length);
  }

  override async seal(): Promise<void> {
    if (this.#ended) throw new Error('This intake was sealed or abandoned.');
    try {
      if (this.#own) await this.#sealOwnPack(this.#own.pack);
      else await this.#sealTogether();
    } catch (reason) {
      await this.abandon();
      throw reason;
    }
    await this.#end();
  }

  override async abandon(): Promise<void> {
    if (this.#ended) return;
    if (this.#own) await this.#own.pack.truncate(this.#own.start);
    await this.#end();
  }

  async #addPieces(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Blob> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    let record: RecordWriter | undefined;
    try {
      for await (const piece of content) {
        size += piece.length;
        if (record) await record.write(piece);
        else pieces.push(piece);
        if (record || size <= wholeUpTo) continue;
        record = new RecordWriter(await this.#ownPack());
        for (const early of pieces.splice(0)) await record.write(early);
      }
      return record ? await this.#keepRecord(record) : await this.#gather(pieces, size);
    } catch (reason) {
      await record?.discard();
      throw reason;
    }
  }

  async #keepRecord(record: RecordWriter): Promise<Blob> {
    const blob = record.end();
    if (await this.#isThere(blob.sha256)) await record.discard();
    else this.#written.set(blob.sha256, await record.keep(blob));
    return blob;
  }

  async #isThere(sha256: string): Promise<boolean> {
    return this.#written.has(sha256) || (await this.parts.index.touch([sha256])).size > 0;
  }

  async #gather(pieces: readonly Uint8Array[], size: number): Promise<Blob> {
    const record = this.#slabs.record(pieces, size);
    const { sha256, bytes } = record;
    if (this.#gathered.has(sha256) || this.#written.has(sha256)) {
      this.#slabs.undo(record);
      return { sha256, size };
    }
    this.#gathered.set(sha256, record);
    this.#gatheredBytes += bytes.length;
    this.parts.held.hold(bytes.length);
    if (this.#unlooked.push(sha256) >= lookAtOnce) this.#look();
    if (this.#gatheredBytes > this.parts.gatherUpTo || this.parts.held.over) await this.#writeGathered();
    return { sha256, size };
  }

  /** The gathered records that are not stored yet. What is stored counts as touched. */
  async #missing(): Promise<PackRecord[]> {
    this.#look();
    const looks = await Promise.all(this.#looks.splice(0));
    return [...this.#gathered.values()].filter(({ sha256 }) => !looks.some((stored) => stored.has(sha256)));
  }

  #look(): void {
    if (this.#unlooked.length === 0) return;
    const look = this.parts.index.touch(this.#unlooked);
    // Heard by whoever waits for it; until then it must not end the process.
    look.catch(() => undefined);
    this.#looks.push(look);
    this.#unlooked = [];
  }

  async #writeGathered(): Promise<void> {
    const missing = await this.#missing();
    if (missing.length > 0) {
      const pack = await this.#ownPack();
      const start = pack.length;
      await pack.append(missing.map(({ bytes }) => bytes));
      for (const placed of placesFrom(pack.id, start, missing)) this.#written.set(placed.sha256, placed);
    }
    this.#letGo();
  }

  async #sealOwnPack(pack: OpenPack): Promise<void> {
    await this.#writeGathered();
    if (this.#written.size === 0) return;
    const durable = pack.sync().then(() => {
      // From here on nothing is taken back: whether rows came to point to it may remain unknown.
      this.#own = { pack, start: pack.length };
    });
    await this.parts.index.addOnce([...this.#written.values()], durable);
  }

  async #sealTogether(): Promise<void> {
    const missing = await this.#missing();
    if (missing.length === 0) return;
    if (missing.length >= manyFrom) await this.#sealMany(missing);
    else await this.parts.index.add(await this.parts.writer.commit(missing));
  }

  async #sealMany(records: readonly PackRecord[]): Promise<void> {
    const pack = await this.parts.packs.lend();
    try {
      const placed = placesFrom(pack.id, pack.length, records);
      const durable = pack.append(records.map(({ bytes }) => bytes)).then(() => pack.sync());
      await this.parts.index.addOnce(placed, durable);
    } finally {
      await this.parts.packs.takeBack(pack);
    }
  }

  async #ownPack(): Promise<OpenPack> {
    if (!this.#own) {
      const pack = await this.parts.packs.lend();
      this.#own = { pack, start: pack.length };
    }
    return this.#own.pack;
  }

  #letGo(): void {
    this.parts.held.release(this.#gatheredBytes);
    this.#gathered = new Map();
    this.#gatheredBytes = 0;
    this.#unlooked = [];
    this.#looks = [];
  }

  async #end(): Promise<void> {
    this.#ended = true;
    this.#letGo();
    const own = this.#own;
    this.#own = undefined;
    if (own) await this.parts.packs.takeBack(own.pack);
  }
}

function* slices(content: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < content.length; at += wholeUpTo) yield content.subarray(at, at + wholeUpTo);
}
