import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { awaitDatabase } from '../../postgres/database-fault.js';
import type { Queryable } from '../../postgres/queryable.js';
import { coalesce } from '../coalesce.js';
import type { LocatedRecord, RecordLocation } from './record-location.js';

const cachedLocations = 65_536;

/** A `touched` time is only updated once it is this many milliseconds old. */
export const touchedWithin = 60 * 60 * 1000;

type LocationRow = { sha256: string; pack: string; start: string; length: string };

/**
 * Maps digests to locations, using a Postgres table and a cache. Rows are always locked in the order of their digests,
 * which prevents deadlocks.
 */
export class BlobIndex {
  /** Cached locations may be outdated, so readers check the header of the record. */
  readonly #cache = new LRUCache<string, RecordLocation>({
    // Limits the cache by `maxSize`, because `max` would allocate all entries at startup (10 ms of CPU time).
    maxSize: cachedLocations,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly pool: Pool,
    private readonly now: () => Date,
  ) {}

  /**
   * Returns the stored digests and marks them as in use, unless they were marked within the last hour: deploying the
   * same thousand files again should not write a thousand rows. The collector waits an hour longer to compensate. If
   * the collector deletes a row before this statement runs, the digest is not found, and the caller stores the content
   * again. If this statement runs first, the collector skips the locked row or sees its new `touched` time.
   */
  readonly touch = coalesce(async (calls: readonly (readonly string[])[]) => {
    const found = new Map<string, RecordLocation>();
    const stale: string[] = [];
    const now = this.now();
    const digests = [...new Set(calls.flat())];
    if (digests.length > 0) {
      const { rows } = await this.#query<LocationRow & { fresh: boolean }>(
        'blobs-look',
        `select encode(digest, 'hex') as sha256, pack, start, length, touched >= $2 as fresh
         from blobs where digest = any($1::bytea[]) and not damaged`,
        [byteaArray(digests), new Date(now.getTime() - touchedWithin)],
      );
      for (const row of rows) {
        if (row.fresh) found.set(row.sha256, this.#cacheRow(row));
        else stale.push(row.sha256);
      }
    }
    if (stale.length > 0) {
      const { rows } = await this.#query<LocationRow>(
        'blobs-touch',
        `with found as (
           select digest from blobs where digest = any($1::bytea[]) and not damaged order by digest for no key update
         )
         update blobs set touched = greatest(blobs.touched, $2) from found where blobs.digest = found.digest
         returning encode(blobs.digest, 'hex') as sha256, pack, start, length`,
        [byteaArray(stale), now],
      );
      for (const row of rows) found.set(row.sha256, this.#cacheRow(row));
    }
    return (call) =>
      new Map(
        call.flatMap((sha256) => {
          const location = found.get(sha256);
          return location ? [[sha256, location] as const] : [];
        }),
      );
  });

  cachedLocation(sha256: string): RecordLocation | undefined {
    return this.#cache.get(sha256);
  }

  /** Resolves to the location of some content, or to undefined if it is not stored. */
  readonly locate = coalesce(async (digests: readonly string[]) => {
    const { rows } = await this.#query<LocationRow>(
      'blobs-locate',
      `select encode(digest, 'hex') as sha256, pack, start, length from blobs where digest = any($1::bytea[])`,
      [byteaArray(digests)],
    );
    for (const sha256 of digests) this.#cache.delete(sha256);
    const found = new Map(rows.map((row) => [row.sha256, this.#cacheRow(row)]));
    return (sha256): RecordLocation | undefined => found.get(sha256);
  });

  /**
   * Indexes synced content. If content is already indexed and not damaged, its old location is kept, and the
   * collector reclaims the new copy. Throws if a pack has been retired.
   */
  readonly add = coalesce(async (calls: readonly (readonly LocatedRecord[])[]) => {
    const located = firstOfEach(calls.flat());
    const open = located.length > 0 ? await this.#insert(located, this.pool) : new Set<string>();
    this.#cacheAll(located, open);
    return (call) => assertOpen(call, open);
  });

  /**
   * Writes index rows immediately, but commits them only once `durable` resolves. If `durable` rejects, rejects as well
   * and adds no rows. Throws if a pack has been retired.
   */
  async addWhenDurable(located: readonly LocatedRecord[], durable: Promise<void>): Promise<void> {
    const [first] = await Promise.allSettled([this.#addInTransaction(firstOfEach(located), durable), durable]);
    if (first.status === 'rejected') throw first.reason;
  }

  async #addInTransaction(located: readonly LocatedRecord[], durable: Promise<void>): Promise<void> {
    const client = await awaitDatabase(this.pool.connect());
    let broken: Error | undefined;
    try {
      await awaitDatabase(client.query('begin'));
      const open = await this.#insert(located, client);
      assertOpen(located, open);
      await durable;
      await awaitDatabase(client.query('commit'));
      this.#cacheAll(located, open);
    } catch (reason) {
      // No rollback is sent on a connection that does not respond, because it would not respond to the rollback either.
      if (reason instanceof StoreUnavailableError) broken = reason;
      else
        await awaitDatabase(client.query('rollback')).catch((error: Error) => {
          broken = error;
        });
      throw reason;
    } finally {
      client.release(broken);
    }
  }

  /** Adds index rows. Returns those packs of the given records that are not retired. */
  async #insert(located: readonly LocatedRecord[], through: Queryable): Promise<Set<string>> {
    const { rows } = await awaitDatabase(
      through.query<{ id: string }>({
        name: 'blobs-add',
        text: `with open as (
           update packs set written = greatest(written, $6) where id = any($1::uuid[]) and retired_at is null returning id
         ), added as (
           insert into blobs (digest, pack, start, length, touched)
           select new.digest, new.pack, new.start, new.length, $6
           from unnest($2::bytea[], $3::uuid[], $4::bigint[], $5::bigint[]) as new (digest, pack, start, length)
           join open on open.id = new.pack order by new.digest
           on conflict (digest) do update set touched = greatest(blobs.touched, excluded.touched),
             pack = case when blobs.damaged then excluded.pack else blobs.pack end,
             start = case when blobs.damaged then excluded.start else blobs.start end,
             damaged = false
         )
         select id from open`,
        values: [[...new Set(located.map((one) => one.pack))], ...columns(located), this.now()],
      }),
    );
    return new Set(rows.map(({ id }) => id));
  }

  #cacheAll(located: readonly LocatedRecord[], open: ReadonlySet<string>): void {
    for (const one of located) if (open.has(one.pack)) this.#cache.set(one.sha256, locationOf(one));
  }

  /** Returns up to `limit` record locations of a pack, in ascending order from offset `start`. */
  async inPack(pack: string, start: number, limit: number): Promise<LocatedRecord[]> {
    const { rows } = await this.#query<LocationRow>(
      'blobs-within',
      `select encode(digest, 'hex') as sha256, pack, start, length from blobs
       where pack = $1 and start >= $2 order by start limit $3`,
      [pack, start, limit],
    );
    return rows.map((row) => ({ sha256: row.sha256, ...toLocation(row) }));
  }

  /**
   * Points index rows of pack `from` to synced copies of their content. Skips content that has moved since it was
   * copied.
   */
  async move(
    from: string,
    copies: readonly { readonly source: LocatedRecord; readonly target: LocatedRecord }[],
  ): Promise<void> {
    await this.#query(
      'blobs-move',
      `with open as (
         update packs set written = greatest(written, $7) where id = any($1::uuid[]) and retired_at is null returning id
       ), moved as (
         select blobs.digest, new.pack, new.start
         from unnest($2::bytea[], $3::uuid[], $4::bigint[], $5::bigint[]) as new (digest, pack, start, was)
         join open on open.id = new.pack
         join blobs on blobs.digest = new.digest and blobs.pack = $6 and blobs.start = new.was
         order by blobs.digest for no key update of blobs
       )
       update blobs set pack = moved.pack, start = moved.start from moved where blobs.digest = moved.digest`,
      [
        [...new Set(copies.map((copy) => copy.target.pack))],
        byteaArray(copies.map((copy) => copy.target.sha256)),
        copies.map((copy) => copy.target.pack),
        copies.map((copy) => copy.target.start),
        copies.map((copy) => copy.source.start),
        from,
        this.now(),
      ],
    );
    for (const { target } of copies) this.#cache.delete(target.sha256);
  }

  async damaged(sha256: string, { pack, start }: RecordLocation): Promise<void> {
    this.#cache.delete(sha256);
    await this.#query(
      'blobs-damaged',
      'update blobs set damaged = true where digest = any($1::bytea[]) and pack = $2 and start = $3',
      [byteaArray([sha256]), pack, start],
    );
  }

  /** Clears the cache. Must be called after rows were deleted by anything other than this index. */
  clearCache(): void {
    this.#cache.clear();
  }

  #cacheRow(row: LocationRow): RecordLocation {
    const found = toLocation(row);
    this.#cache.set(row.sha256, found);
    return found;
  }

  #query<Row extends object>(name: string, text: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>({ name, text, values }));
  }
}

const toLocation = (row: LocationRow): RecordLocation => ({
  pack: row.pack,
  start: Number(row.start),
  length: Number(row.length),
});

const locationOf = ({ pack, start, length }: LocatedRecord): RecordLocation => ({ pack, start, length });

function assertOpen(located: readonly LocatedRecord[], open: ReadonlySet<string>): void {
  const retired = located.find((one) => !open.has(one.pack));
  if (retired) throw new Error(`Pack ${retired.pack} was retired before its new content was indexed.`);
}

const firstOfEach = (located: readonly LocatedRecord[]): LocatedRecord[] => [
  ...new Map(located.toReversed().map((one) => [one.sha256, one])).values(),
];

/** Formats a `bytea[]` parameter. The driver’s own formatting takes longer than the statement. */
export const byteaArray = (digests: readonly string[]) => `{${digests.map((hex) => `"\\\\x${hex}"`).join(',')}}`;

/** Formats an array of values that never need quoting. */
const plainArray = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

const columns = (located: readonly LocatedRecord[]) => [
  byteaArray(located.map((one) => one.sha256)),
  plainArray(located.map((one) => one.pack)),
  plainArray(located.map((one) => one.start)),
  plainArray(located.map((one) => one.length)),
];
