import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DiskPacks } from '../../../src/storage/blobs/disk.engine.js';
import type { PackOptions } from '../../../src/storage/blobs/packed-blobs.js';
import { freshDatabase } from '../database/test-database.js';
import { countBytes, readNames } from './changing-folder.js';

const hour = 3_600_000;

/** A folder and an empty database for any number of pack stores, with a clock that tests can move. */
export class PacksUnderTest {
  #hours = 0;
  readonly #stores: DiskPacks[] = [];

  private constructor(
    readonly folder: string,
    readonly database: pg.PoolConfig,
    readonly pool: pg.Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(): Promise<PacksUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-packs-'));
    const { config, drop } = await freshDatabase();
    const pool = new pg.Pool(config);
    pool.on('error', () => {}); // Connections break when their database is dropped.
    return new PacksUnderTest(folder, config, pool, drop);
  }

  readonly now = () => new Date(Date.now() + this.#hours * hour);

  /** Opens a store as another process would: it shares no packs, open files or cached locations with other stores. */
  async store(options: PackOptions = {}, folder = this.folder): Promise<DiskPacks> {
    const store = new DiskPacks(folder, this.pool, { now: this.now, ...options });
    await store.start();
    this.#stores.push(store);
    return store;
  }

  pass(hours: number): void {
    this.#hours += hours;
  }

  async packs(folder = this.folder): Promise<string[]> {
    return (await readNames(folder)).sort();
  }

  async bytes(folder = this.folder): Promise<number> {
    return countBytes(folder);
  }

  async rows(): Promise<string[]> {
    const { rows } = await this.pool.query<{ row: string }>(
      `select concat_ws(' ', encode(digest, 'hex'), pack, start, length) as row from blobs order by digest`,
    );
    return rows.map(({ row }) => row);
  }

  async loseIndex(): Promise<void> {
    await this.pool.query('truncate blobs, packs');
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.stop()));
    await this.pool.end();
    await this.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Adds the contents through one intake, seals the intake, and returns the digests. */
export async function deploy(store: DiskPacks, ...contents: (Uint8Array | AsyncIterable<Uint8Array>)[]) {
  const intake = store.begin();
  try {
    const digests: string[] = [];
    for (const content of contents) digests.push((await intake.add(content)).sha256);
    await intake.seal();
    return digests;
  } catch (reason) {
    await intake.abandon();
    throw reason;
  }
}

export async function* naming(...digests: string[]): AsyncGenerator<string[]> {
  yield digests;
}
