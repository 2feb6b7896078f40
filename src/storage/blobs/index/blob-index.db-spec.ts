import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PacksUnderTest } from '../../../../test/support/content/packs.js';
import { BlobIndex } from './blob-index.js';
import { PackTable } from './pack-table.js';
import type { LocatedRecord } from './record-location.js';

describe('Indexing content while it is being synced', () => {
  let packs: PacksUnderTest;
  let index: BlobIndex;
  let located: LocatedRecord[];
  let first: LocatedRecord;
  beforeAll(async () => {
    packs = await PacksUnderTest.open();
    await packs.store();
  });
  beforeEach(async () => {
    const pack = randomUUID();
    index = new BlobIndex(packs.pool, packs.now);
    await new PackTable(packs.pool, packs.now).register(pack);
    first = { sha256: randomBytes(32).toString('hex'), pack, start: 0, length: 40 };
    located = Array.from({ length: 100 }, (_, n) =>
      n === 0 ? first : { ...first, sha256: randomBytes(32).toString('hex'), start: n * 100 },
    );
  });
  afterAll(() => packs.close());

  const found = async () => (await index.touch(located.map(({ sha256 }) => sha256))).size;

  it('content is indexed only after it is durable', async () => {
    const { promise: durable, resolve } = Promise.withResolvers<void>();
    const added = index.addWhenDurable(located, durable);
    // Waits until the index rows are written but not yet committed.
    while ((await written()) === 0);
    expect(await found()).toBe(0);
    resolve();
    await added;
    expect(await found()).toBe(100);
    expect(index.cachedLocation(first.sha256)).toMatchObject({ start: 0, length: 40 });
  });

  it('content is not indexed if syncing fails, and the error is rethrown', async () => {
    await expect(index.addWhenDurable(located, Promise.reject(new Error('The disk is gone.')))).rejects.toThrow(
      'disk is gone',
    );
    expect(await found()).toBe(0);
    expect(index.cachedLocation(first.sha256)).toBeUndefined();
  });

  it('content is not indexed if its pack is retired while it is being synced', async () => {
    await packs.pool.query('update packs set retired_at = now() where id = $1', [first.pack]);
    await expect(index.addWhenDurable(located, Promise.resolve())).rejects.toThrow('was retired');
    expect(await found()).toBe(0);
  });

  /** Counts open transactions that wrote rows, because uncommitted rows are invisible to other transactions. */
  const written = async () => {
    const { rows } = await packs.pool.query<{ count: string }>(
      `select count(*) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction' and query like 'with open%'`,
    );
    return Number(rows[0]?.count);
  };
});
