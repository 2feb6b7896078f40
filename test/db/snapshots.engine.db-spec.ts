import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { DomainEvent, Fold } from '../../src/kernel/decider.js';
import type { Folded, Snapshots } from '../../src/kernel/snapshots.js';
import { MemorySnapshots } from '../../src/storage/store/memory/memory.snapshots.js';
import { PostgresEngine } from '../../src/storage/store/postgres/postgres.engine.js';
import { PostgresSnapshots } from '../../src/storage/store/postgres/postgres.snapshots.js';
import { digest, isChained, notes } from '../contracts/event-store.contract.js';
import { freshDatabase } from '../support/database/test-database.js';

type Texts = { readonly texts: readonly string[] };

const fold = (version = 1, name = 'texts'): Fold<Texts, DomainEvent> => ({
  name,
  version,
  initial: { texts: [] },
  evolve: (state) => state,
});
const at = (revision: number, text = `at ${revision}`): Folded<Texts> => ({
  state: { texts: [text] },
  head: { revision, hash: 'f'.repeat(64) },
});

describe.each<[string, () => Promise<{ snapshots: Snapshots; close(): Promise<void> }>]>([
  ['memory', async () => ({ snapshots: new MemorySnapshots(), close: async () => undefined })],
  ['Postgres', openPostgres],
])('Snapshots in %s', (_, open) => {
  let snapshots: Snapshots;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ snapshots, close } = await open());
  });
  afterAll(() => close());

  it('loading a snapshot returns null if no snapshot was saved', async () => {
    expect(await snapshots.load('site-none', fold())).toBeNull();
  });

  it('a snapshot is returned unchanged, and only for the stream and fold for which it was saved', async () => {
    const folded = at(300, 'a\u0000 👩‍👩‍👧‍👦 "\\');
    await snapshots.save('site-a', fold(), folded);
    expect(await snapshots.load('site-a', fold())).toEqual(folded);
    expect(await snapshots.load('site-b', fold())).toBeNull();
    expect(await snapshots.load('site-a', fold(1, 'another'))).toBeNull();
  });

  it('a snapshot is never replaced by an older one', async () => {
    await snapshots.save('site-c', fold(), at(300));
    await snapshots.save('site-c', fold(), at(200));
    expect(await snapshots.load('site-c', fold())).toEqual(at(300));
    await snapshots.save('site-c', fold(), at(400));
    expect(await snapshots.load('site-c', fold())).toEqual(at(400));
  });

  it('a snapshot is used only by the fold version that saved it, and older versions can’t replace it', async () => {
    await snapshots.save('site-d', fold(1), at(300));
    expect(await snapshots.load('site-d', fold(2))).toBeNull();
    await snapshots.save('site-d', fold(2), at(100));
    await snapshots.save('site-d', fold(1), at(400));
    expect(await snapshots.load('site-d', fold(2))).toEqual(at(100));
    expect(await snapshots.load('site-d', fold(1))).toBeNull();
  });
});

async function openPostgres() {
  const { config, drop } = await freshDatabase();
  const pool = new Pool(config);
  const engine = new PostgresEngine({ pool, catalogue: notes, isChained, digest });
  await engine.start();
  return {
    snapshots: new PostgresSnapshots(pool),
    async close() {
      await engine.stop();
      await pool.end();
      await drop();
    },
  };
}
