import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Pool, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { type EventStore, emptyStream, type Head, type Recorded } from '../../src/kernel/event-store.js';
import { PostgresEngine } from '../../src/storage/store/postgres/postgres.engine.js';
import {
  appended,
  ascending,
  chainHolds,
  digest,
  eventStoreContract,
  isChained,
  noted,
  notes,
  readTo,
  writeToEach,
} from '../contracts/event-store.contract.js';
import { LossyPostgresProxy } from '../support/database/lossy-postgres-proxy.js';
import { freshDatabase } from '../support/database/test-database.js';

jest.setTimeout(120_000);

const recording = { catalogue: notes, isChained, digest };

eventStoreContract('Postgres', async (options) => {
  const { config, drop } = await freshDatabase();
  const pool = new Pool(config);
  const store = new PostgresEngine({ pool, ...options });
  await store.start();
  return {
    store,
    async close() {
      await store.stop();
      await pool.end();
      await drop();
    },
  };
});

describe('Postgres engine', () => {
  let database: { config: PoolConfig; drop(): Promise<void> };
  let admin: Pool;
  const closing: (() => Promise<unknown>)[] = [];
  let streams = 0;
  const sites = (count: number) => Array.from({ length: count }, () => `site-${++streams}`);

  /** Opens an engine with its own pool, as in another process. */
  async function another(pool = new Pool({ ...database.config, application_name: 'engine' })): Promise<PostgresEngine> {
    const store = new PostgresEngine({ pool, ...recording });
    await store.start();
    closing.push(async () => {
      await store.stop();
      await pool.end();
    });
    return store;
  }

  const terminate = (application: string) =>
    admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
      [application],
    );

  /** Follows the log from its current end to the event with this ID. */
  const following = async (store: EventStore, id: string) => {
    const from = await store.lastPosition();
    return {
      events: readTo(
        (signal) => store.follow(from, signal),
        (event) => event.id === id,
      ),
    };
  };

  const ids = (events: readonly Recorded[]) => events.map(({ id }) => id);

  beforeAll(async () => {
    database = await freshDatabase();
    admin = new Pool({ ...database.config, application_name: 'admin' });
    admin.on('error', () => undefined);
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await admin.end();
    await database.drop();
  });

  it('several processes can start the engine at the same time', async () => {
    const fresh = await freshDatabase();
    const pools = Array.from({ length: 4 }, () => new Pool(fresh.config));
    const stores = pools.map((pool) => new PostgresEngine({ pool, ...recording }));
    await Promise.all(stores.map((store) => store.start()));
    await appended(stores[0]!, 'site-a', emptyStream, [noted('a')]);
    expect((await stores[3]!.read('site-a')).events).toHaveLength(1);
    for (const store of stores) await store.stop();
    for (const pool of pools) await pool.end();
    await fresh.drop();
  });

  it('readers on two engines see events in the same order, and exactly one writer wins each race', async () => {
    const stores = [await another(), await another()] as const;
    const [last] = [noted('last')];
    const logs = [];
    for (const store of stores) logs.push(await following(store, last.id));

    const shared = sites(2);
    const acknowledged = await Promise.all(stores.map((store) => writeToEach(store, sites(8), shared, 25)));
    await appended(stores[0], sites(1)[0]!, emptyStream, [last]);

    const [one, other] = await Promise.all(logs.map(({ events }) => events));
    expect(ids(one!)).toEqual(ids(other!));
    expect(ids(one!).toSorted()).toEqual([...acknowledged.flat(), last.id].toSorted());
    for (const stream of shared) expect(chainHolds((await stores[1].read(stream)).events)).toBe(true);
  });

  it('readers miss no events from 16 writers while connections are cut and transactions roll back', async () => {
    const store = await another();
    const last = noted('last');
    const { events } = await following(store, last.id);
    let writing = true;

    const cutting = (async () => {
      let cut = 0;
      for (; writing; cut++) {
        await abandoned();
        await terminate(cut % 3 === 0 ? 'stele doorbell' : 'engine');
        await admin.query('select pg_sleep(0.02)');
      }
      return cut;
    })();
    const acknowledged = await writeToEach(store, sites(16), sites(2), 25);
    writing = false;
    expect(await cutting).toBeGreaterThan(5);

    await appended(store, sites(1)[0]!, emptyStream, [last]);
    const seen = await events;
    expect(ids(seen).toSorted()).toEqual([...acknowledged, last.id].toSorted());
    expect(ascending(seen.map(({ position }) => position))).toBe(true);
  }, 120_000);

  /** Reserves positions in the log and rolls back, so that the positions are never used. */
  async function abandoned() {
    const client = await admin.connect();
    await client.query('begin');
    await client.query(`
      insert into events (stream, revision, id, type, schema, at, actor, data)
      select 'job-abandoned', n, 'evt_abandoned', 'Noted', 1, '', '{}', '{"text":""}' from generate_series(1, 5) n`);
    await client.query('rollback');
    client.release();
  }

  it('events from other processes still arrive after the connection for notifications was cut', async () => {
    const [reader, writer] = [await another(), await another()];
    const [stream] = sites(1);
    const last = noted('second');
    const { events } = await following(reader, last.id);
    const { head } = await appended(writer, stream!, emptyStream, [noted('first')]);
    await terminate('stele doorbell');
    await appended(writer, stream!, head, [last]);
    expect(await events).toHaveLength(2);
  });

  it('an engine learns of other processes’ events faster than polling allows, even after a lost connection', async () => {
    const [here, there] = [await another(), await another()];
    const [ping, pong] = sites(2);
    const rounds = 20;
    const turns: number[] = [];
    /** Appends one event to stream `to` for each event in stream `from`. */
    const play = async (store: EventStore, from: string, to: string, head: Head) => {
      const done = new AbortController();
      for await (const events of store.watch(from, 0, done.signal)) {
        for (const _ of events) {
          turns.push(performance.now());
          if (head.revision < rounds) ({ head } = await appended(store, to, head, [noted('back')]));
        }
        if (head.revision === rounds) done.abort();
      }
    };
    await terminate('stele doorbell');
    const { head } = await appended(here, ping!, emptyStream, [noted('serve')]);
    await Promise.all([play(there, ping!, pong!, emptyStream), play(here, pong!, ping!, head)]);
    // Uses the median, because a slow machine can delay some rounds. With polling alone, a round would take 250 ms.
    const durations = turns.slice(2).map((at, n) => at - turns[n]!);
    expect(durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)]).toBeLessThan(150);
  });

  it('one notification may cover several events, but other processes are always notified of the last event', async () => {
    const store = await another();
    const listener = new Client(database.config);
    const told: bigint[] = [];
    let heard = () => undefined as unknown;
    listener.on('notification', ({ payload = '' }) => {
      told.push(BigInt(payload));
      heard();
    });
    await listener.connect();
    await listener.query('listen stele_events');

    const [burst, rounds] = [8, 20];
    for (const stream of sites(rounds)) {
      let last = { head: emptyStream, position: 0n };
      for (let n = 0; n < burst; n++) last = await appended(store, stream, last.head, [noted(`${n}`)]);
      while ((told.at(-1) ?? 0n) < last.position)
        await new Promise((resolve) => {
          heard = () => resolve(undefined);
        });
    }
    expect(told.length).toBeLessThan(burst * rounds);
    await listener.end();
  });

  it('a reader does not miss an event that is appended while the reader starts', async () => {
    const looked = Promise.withResolvers<void>();
    const appendedMeanwhile = Promise.withResolvers<void>();
    /**
     * Delays the query for the last position, but not the reader's first query, so that an event can be appended
     * between them.
     */
    class Staged extends Pool {
      override query = (async (config: QueryConfig) => {
        if (config.name === 'events_last') await appendedMeanwhile.promise;
        const answer = await Pool.prototype.query.call<Pool, [QueryConfig], Promise<QueryResult>>(this, config);
        if (config.name === 'events_watch') looked.resolve();
        return answer;
      }) as Pool['query'];
    }
    const reader = await another(new Staged(database.config));
    const writer = await another();
    const [stream] = sites(1);
    const reading = readTo(
      (signal) => reader.watch(stream!, 0, signal),
      () => true,
    );
    await looked.promise;
    await appended(writer, stream!, emptyStream, [noted('meanwhile')]);
    appendedMeanwhile.resolve();
    expect(await reading).toHaveLength(1);
  });

  it('readers get events from their own process without a query, exactly as the database stores them', async () => {
    /**
     * Disables notifications. A notification that arrives before the response to its append would cause an extra query.
     */
    await admin.query(`
      create schema silent;
      create function silent.pg_notify(text, text) returns void language sql as ''`);
    class Counting extends Pool {
      asked = 0;
      override query = ((config: QueryConfig) => {
        if (config.name === 'events_follow') this.asked++;
        return Pool.prototype.query.call<Pool, [QueryConfig], unknown>(this, config);
      }) as Pool['query'];
    }
    const pool = new Counting({ ...database.config, options: '-c search_path=public,silent,pg_catalog' });
    const store = await another(pool);
    const elsewhere = await another();
    const last = noted('last');
    const here = await following(store, last.id);
    const there = await following(elsewhere, last.id);
    const words = Array.from({ length: 400 }, (_, n) => `${n} “é” \u{1f9a6} \\ \t`);
    let [head, stream] = [emptyStream as Head, sites(1)[0]!];
    const actor = { kind: 'user', id: 'usr_ann' } as const;
    for (const word of words) ({ head } = await appended(store, stream, head, [{ ...noted(word), actor }]));
    await appended(store, stream, head, [last]);

    const [own, others] = [await here.events, await there.events];
    expect(own).toEqual(others);
    // Also compares the order of object members, because read models store some events unchanged.
    const texts = (events: readonly Recorded[]) => events.map(({ actor, data }) => JSON.stringify([actor, data]));
    expect(texts(own)).toEqual(texts(others));
    expect(own).toHaveLength(words.length + 1);
    // Some queries remain: one at the start, and occasional polls.
    expect(pool.asked).toBeLessThan(words.length / 4);
  });

  it.each([1, 20])(
    'if the responses to %d concurrent appends are lost, the engine discovers that the appends succeeded',
    async (atOnce) => {
      const network = await LossyPostgresProxy.before(database.config);
      closing.unshift(() => network.close());
      const store = await another(new Pool({ ...database.config, ...network.address }));
      const [warm, ...streams] = sites(1 + atOnce);
      await appended(store, warm!, emptyStream, [noted('the connection is there')]);

      network.loses('append_');
      const events = streams.map(noted);
      const heads = await Promise.all(
        streams.map(async (stream, n) => (await appended(store, stream, emptyStream, [events[n]!])).head),
      );
      expect(network.lost).toBe(1);
      for (const [n, stream] of streams.entries()) {
        const { events: written, head } = await store.read(stream);
        expect(ids(written)).toEqual([events[n]!.id]);
        expect(heads[n]).toEqual(head);
      }
    },
  );

  it('cached revisions are discarded when the connection breaks, because the next server might lag behind', async () => {
    const store = await another();
    const streams = sites(20);
    const appendTo = (heads: readonly Head[]) =>
      Promise.all(streams.map((stream, n) => store.append(stream, heads[n] ?? emptyStream, [noted('a')])));
    const first = await appendTo([]);
    const heads = first.map((outcome) => (outcome === 'conflict' ? emptyStream : outcome.head));
    await terminate('engine');
    await admin.query('delete from events where stream = any($1)', [streams]);

    expect(new Set(await appendTo(heads))).toEqual(new Set(['conflict']));
    expect(await store.append(streams[0]!, heads[0]!, [noted('alone')])).toBe('conflict');
  });

  it('if PostgreSQL rejects one append of a batch, the other appends still succeed', async () => {
    const store = await another();
    const [stream] = sites(1);
    const outcomes = await Promise.allSettled([
      store.append(stream!, emptyStream, [noted('a')]),
      store.append('site-\u0000', emptyStream, [noted('b')]),
      store.append('job-1', emptyStream, [noted('c')]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.read(stream!)).events).toHaveLength(1);
  });

  it('if another program has deleted events of a stream, the remaining events are returned in order', async () => {
    const store = await another();
    const [stream = ''] = sites(1);
    await store.append(
      stream,
      emptyStream,
      Array.from({ length: 900 }, (_, n) => noted(`${n}`)),
    );
    await admin.query('delete from events where stream = $1 and (revision <= 5 or revision between 100 and 750)', [
      stream,
    ]);
    const pages = await Array.fromAsync(store.raw(stream));
    const there = Array.from({ length: 900 }, (_, n) => n + 1).filter((n) => n > 5 && (n < 100 || n > 750));
    expect(pages.flat().map(({ revision }) => revision)).toEqual(there);
    expect(await Array.fromAsync(store.raw('site-none'))).toEqual([]);
  });

  it('stopping the engine completes calls in progress and ends its readers', async () => {
    const pool = new Pool(database.config);
    const store = new PostgresEngine({ pool, ...recording });
    await store.start();
    const from = await store.lastPosition();
    const last = noted('b');
    const reading = readTo(
      (signal) => store.follow(from, signal),
      () => false,
    );
    const [one, other] = sites(2);
    const appending = Promise.all([
      appended(store, one!, emptyStream, [noted('a')]),
      appended(store, other!, emptyStream, [last]),
    ]);
    await store.stop();
    expect(await appending).toHaveLength(2);
    await expect(store.append(one!, emptyStream, [noted('c')])).rejects.toThrow('closed');
    await reading;
    await pool.end();
  });

  it('the engine’s connections have an idle-in-transaction timeout of 15 seconds', async () => {
    const pool = new Pool(database.config);
    const store = await another(pool);
    await store.lastPosition();
    const { rows } = await pool.query('show idle_in_transaction_session_timeout');
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }]);
  });

  it('the engine’s database can be shared with another process', async () => {
    const store = await another();
    const [theirs, last] = ['site-theirs', noted('last')];
    const { events } = await following(store, last.id);
    const shared = sites(2);
    const program = ['--import', './test/support/jest/register-typescript.js', './test/db/appends-beside.ts'];
    const arguments_ = [...program, JSON.stringify(database.config), theirs, shared[0]!];
    const neighbour = spawn(process.execPath, arguments_, { stdio: ['ignore', 'ignore', 'inherit'] });
    const exit = once(neighbour, 'exit');
    await readTo(
      (signal) => store.watch(theirs, 0, signal),
      () => true,
    );
    const acknowledged = await writeToEach(store, sites(8), shared, 25);
    expect(await exit).toEqual([0, null]);
    await appended(store, sites(1)[0]!, emptyStream, [last]);

    const seen = await events;
    expect(ascending(seen.map(({ position }) => position))).toBe(true);
    expect(seen.filter(({ stream }) => stream === theirs)).toHaveLength(50);
    const mine = seen.filter(({ data }) => !(data as { text: string }).text.startsWith('neighbour'));
    expect(ids(mine).toSorted()).toEqual([...acknowledged, last.id].toSorted());
    expect(chainHolds((await store.read(shared[0]!)).events)).toBe(true);
  });
});
