import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { emptyStream, type Recorded, StoreUnavailableError } from '../../src/kernel/event-store.js';
import { PostgresEngine } from '../../src/storage/store/postgres/postgres.engine.js';
import {
  appended,
  ascending,
  chainHolds,
  digest,
  isChained,
  noted,
  notes,
  readTo,
} from '../contracts/event-store.contract.js';
import { ownPostgres } from '../support/database/test-database.js';

jest.setTimeout(120_000);

describe('Postgres engine when its database is down', () => {
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let pools: Pool[];
  let stores: PostgresEngine[];

  beforeAll(async () => {
    postgres = await ownPostgres();
    pools = [new Pool(postgres.config), new Pool(postgres.config)];
    stores = pools.map((pool) => new PostgresEngine({ pool, catalogue: notes, isChained, digest }));
    for (const store of stores) await store.start();
  });
  afterAll(async () => {
    for (const store of stores) await store.stop();
    for (const pool of pools) await pool.end();
    await postgres.stop();
  });

  it.each(['restart', 'crash'] as const)(
    'a database %s under load loses and repeats no acknowledged event, and readers continue afterwards',
    async (disaster) => {
      const from = await stores[0]!.lastPosition();
      const last = noted('last');
      const isLast = ({ id }: Recorded) => id === last.id;
      const reading = [
        ...stores.map((store) => readTo((signal) => store.follow(from, signal), isLast)),
        readTo((signal) => stores[1]!.watch(`site-last-${disaster}`, 0, signal), isLast),
      ];

      const tried: string[] = [];
      const acknowledged: string[] = [];
      let disasters = 0;
      const busy = Promise.withResolvers<void>();
      const writing = Array.from({ length: 16 }, async (_, writer) => {
        const store = stores[writer % 2]!;
        const site = `site-${disaster}-${writer}`;
        let { head } = await store.read(site);
        for (let after = 0; after < 10; after += disasters) {
          const events = [noted(site), noted('and another')];
          tried.push(...events.map(({ id }) => id));
          try {
            ({ head } = await appended(store, site, head, events));
            acknowledged.push(...events.map(({ id }) => id));
          } catch (error) {
            if (!(error instanceof StoreUnavailableError)) throw error;
            ({ head } = await readAfterOutage(store, site));
          }
          if (acknowledged.length > 500) busy.resolve();
        }
        expect(chainHolds((await store.read(site)).events)).toBe(true);
      });
      await Promise.race([busy.promise, Promise.all(writing)]);
      await postgres[disaster]();
      disasters = 1;
      await Promise.all(writing);

      await appended(stores[0]!, `site-last-${disaster}`, emptyStream, [last]);
      const [one, other, watched] = await Promise.all(reading);
      const ids = one!.map(({ id }) => id);
      expect(other!.map(({ id }) => id)).toEqual(ids);
      expect(watched).toHaveLength(1);
      expect(ascending(one!.map(({ position }) => position))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      expect(new Set(acknowledged).difference(new Set(ids)).size).toBe(0);
      expect(new Set(ids).difference(new Set([...tried, last.id])).size).toBe(0);
    },
  );

  it('while the database is down, appends and reads fail with an outage error after ten seconds', async () => {
    const [store] = stores;
    const events = [noted('a')];
    await postgres.stop();
    const began = performance.now();
    const outcomes = await Promise.allSettled([
      store!.append('site-away', emptyStream, events),
      store!.read('site-away'),
    ]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([
      expect.any(StoreUnavailableError),
      expect.any(StoreUnavailableError),
    ]);
    expect(performance.now() - began).toBeLessThan(25_000);
  });
});

/** Reads a stream. Retries if the outage lasts longer than the ten seconds that the engine waits. */
async function readAfterOutage(store: PostgresEngine, stream: string) {
  for (;;) {
    try {
      return await store.read(stream);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
}
