import type { Pool } from 'pg';
import { createSchema } from '../postgres/create-schema.js';
import { type BlobIntake, BlobMissingError, BlobStore, type ByteRange, type Collected } from './blob-store.js';
import { Collector } from './collector.js';
import { BlobIndex } from './index/blob-index.js';
import { indexSchema } from './index/blob-index.schema.js';
import { PackTable } from './index/pack-table.js';
import { type Rebuilt, rebuildIndex } from './index/rebuild-index.js';
import { MemoryReservation } from './packs/memory-reservation.js';
import { OpenPackPool } from './packs/open-packs.js';
import { PackCompactor } from './packs/pack-compactor.js';
import type { PackFolder } from './packs/pack-folder.js';
import { type IntakeParts, PackIntake } from './packs/pack-intake.js';
import { PackReader } from './packs/pack-reader.js';
import { PackWriter } from './packs/pack-writer.js';
import { SlabPool } from './packs/slab-pool.js';

const mebibyte = 1024 * 1024;
/** Number of unused memory slabs to keep for reuse, which is enough for receiving one large deploy. */
const keptSlabs = 10;

/** Options of a store that keeps content in packs. All sizes are in bytes. */
export type PackOptions = {
  /** Size at which a pack is closed. Defaults to 256 MiB. */
  readonly packBytes?: number;
  /**
   * Maximum memory for receiving one deploy. Half of it is for collecting records, half for records that are being
   * written. Defaults to 8 MiB.
   */
  readonly intakeBytes?: number;
  /**
   * Total memory for all deploys being received. Above it, each deploy writes its buffered content to disk. Defaults to
   * 64 MiB.
   */
  readonly memoryBytes?: number;
  /** Throws `StorageFullError` to refuse content. The default refuses nothing, so only a full disk stops uploads. */
  readonly assertRoom?: () => Promise<void>;
  readonly now?: () => Date;
};

/**
 * Stores content in packs, with an index in Postgres. The pool needs at least two connections, because the collector
 * occupies one while it runs. The owner of the pool must listen for the pool’s `error` event.
 */
export class PackedBlobs extends BlobStore {
  readonly #table: PackTable;
  readonly #index: BlobIndex;
  readonly #packs: OpenPackPool;
  readonly #intake: IntakeParts;
  readonly #reader: PackReader;
  readonly #collector: Collector;

  constructor(
    private readonly storage: PackFolder,
    private readonly pool: Pool,
    options: PackOptions = {},
  ) {
    super();
    const now = options.now ?? (() => new Date());
    this.#table = new PackTable(pool, now);
    this.#index = new BlobIndex(pool, now);
    this.#packs = new OpenPackPool(storage, this.#table, now, options.packBytes ?? 256 * mebibyte);
    this.#intake = {
      index: this.#index,
      packs: this.#packs,
      writer: new PackWriter(this.#packs),
      memory: new MemoryReservation(options.memoryBytes ?? 64 * mebibyte),
      slabs: new SlabPool(keptSlabs),
      memoryLimit: options.intakeBytes ?? 8 * mebibyte,
      assertRoom: options.assertRoom ?? (async () => undefined),
    };
    this.#reader = new PackReader(storage, this.#index);
    const packCompactor = new PackCompactor(storage, this.#packs, this.#index);
    this.#collector = new Collector(pool, storage, this.#table, this.#index, packCompactor, now);
  }

  async start(): Promise<void> {
    await this.storage.prepare();
    await createSchema(this.pool, 'stele blobs schema', indexSchema);
  }

  /** Refuses to receive more deploys, and closes the packs. Deploys that are being received can still be completed. */
  async stop(): Promise<void> {
    await this.#packs.close();
    await this.storage.close();
  }

  override begin(): BlobIntake {
    return new PackIntake(this.#intake);
  }

  override async read(sha256: string): Promise<Buffer> {
    if (!isDigest(sha256)) throw new BlobMissingError(sha256);
    return this.#reader.read(sha256);
  }

  override async *stream(sha256: string, range?: ByteRange): AsyncGenerator<Buffer> {
    if (!isDigest(sha256)) throw new BlobMissingError(sha256);
    yield* this.#reader.stream(sha256, range);
  }

  override async touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.#index.touch(digests.filter(isDigest));
    return new Map([...found].map(([sha256, { length }]) => [sha256, length]));
  }

  override collect(referenced: AsyncIterable<readonly string[]>): Promise<Collected> {
    return this.#collector.collect(referenced);
  }

  rebuildIndex(): Promise<Rebuilt> {
    return rebuildIndex(this.storage, this.#table, this.#index);
  }
}

const isDigest = (text: string) => /^[0-9a-f]{64}$/.test(text);
