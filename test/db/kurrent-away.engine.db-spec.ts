import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStream, type Head, StoreUnavailable } from '../../src/kernel/event-store.js';
import { EventStoreRefused, KurrentEngine } from '../../src/store/kurrent.engine.js';
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
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';

const recording = { catalogue: notes, isChained, digest };

describe('The KurrentDB engine, when its server', () => {
  let server: StandIn;
  let store: KurrentEngine;
  let said: string[];

  beforeEach(async () => {
    server = await StandIn.start();
    said = [];
    store = new KurrentEngine({ url: server.url, say: (message) => said.push(message), ...recording });
    await store.start();
  });
  afterEach(async () => {
    await store.stop();
    server.stop();
  });

  /** Follows from where the store stands until the event with this id. */
  const following = async (id: string) => {
    const from = await store.lastPosition();
    return readTo(
      (signal) => store.follow(from, signal),
      (event) => event.id === id,
    );
  };

  it('is slow, waits for it', async () => {
    server.goWrong('append', { slowMs: 1_500 });
    server.goWrong('read', { slowMs: 1_500 });
    await appended(store, 'site-slow', emptyStream, [noted('a')]);
    expect((await store.read('site-slow')).events).toHaveLength(1);
  });

  it('offers batchAppend, never uses it: that call has no deadline', async () => {
    await appended(store, 'site-one', emptyStream, [noted('a'), noted('b')]);
    expect(server.calls).toMatchObject({ append: 1, batchAppend: 0 });
  });

  it('is silent, says after ten seconds that it is away, and the same ids may be sent again', async () => {
    const events = [noted('a')];
    server.goWrong('append', 'silent');
    server.goWrong('read', 'silent');
    const began = performance.now();
    const outcomes = await Promise.allSettled([
      store.append('site-silent', emptyStream, events),
      store.read('site-silent'),
      store.lastPosition(),
    ]);
    for (const outcome of outcomes)
      expect(outcome.status === 'rejected' && outcome.reason).toEqual(expect.any(StoreUnavailable));
    expect(performance.now() - began).toBeGreaterThan(9_000);
    server.faults.clear();
    await appended(store, 'site-silent', emptyStream, events);
    expect((await store.read('site-silent')).events).toHaveLength(1);
  }, 60_000);

  it('is silent for one call, asks again', async () => {
    server.goWrong('append', 'silent', 1);
    server.goWrong('read', 'silent', 1);
    await appended(store, 'site-once', emptyStream, [noted('a')]);
    expect((await store.read('site-once')).events).toHaveLength(1);
  }, 60_000);

  it('loses the answer of an append, finds out that it was written', async () => {
    const event = noted('a');
    server.goWrong('append', 'lost', 1);
    const { head } = await appended(store, 'site-lost', emptyStream, [event]);
    const { events } = await store.read('site-lost');
    expect(events.map(({ id }) => id)).toEqual([event.id]);
    expect(head).toEqual({ revision: 1, hash: events[0]?.hash });
    expect(server.calls.append).toBe(2);
  }, 60_000);

  it('cuts the connection, before and in the middle of answers, goes on', async () => {
    const { head } = await appended(store, 'site-cut', emptyStream, [noted('a'), noted('b')]);
    server.goWrong('append', 'cut', 2);
    await appended(store, 'site-cut', head, [noted('c')]);
    for (const fault of ['cut', 'lost'] as const) {
      server.goWrong('read', fault, 1);
      const { events } = await store.read('site-cut');
      expect(events).toHaveLength(3);
      expect(chainHolds(events)).toBe(true);
    }
  }, 60_000);

  it('answers an append with nothing, or a reading with what cannot be read, takes that for no answer', async () => {
    server.goWrong('append', 'broken', 1);
    server.goWrong('read', 'broken', 1);
    const { position } = await appended(store, 'site-broken', emptyStream, [noted('a')]);
    const { events } = await store.read('site-broken');
    expect(events.map((event) => event.position)).toEqual([position]);
  }, 60_000);

  it('ends a scan before the end as if it were whole, says so', async () => {
    const events = Array.from({ length: 100 }, (_, n) => noted(`${n}`));
    const { position } = await appended(store, 'job-short', emptyStream, events);
    // It reads what was dropped, and then the log.
    server.goWrong('read', 'short', 2);
    const scanning = Array.fromAsync(store.scan(0n, position, new AbortController().signal));
    await expect(scanning).rejects.toThrow(StoreUnavailable);
  });

  describe('ends answers as if they were whole', () => {
    let present: AbortController;
    let head: Head;

    /** Whoever comes from now on finds the subscription there, and is handed by it what comes later. */
    beforeEach(async () => {
      present = new AbortController();
      const events = Array.from({ length: 100 }, (_, n) => noted(`${n}`));
      const { head: after, position } = await appended(store, 'job-short', emptyStream, events);
      const others = store.follow(position, present.signal)[Symbol.asyncIterator]();
      const hearing = others.next();
      ({ head } = await appended(store, 'job-short', after, [noted('heard by others')]));
      await hearing;
    });
    afterEach(() => present.abort());

    it.each([
      ['one, and whoever follows', 1, (signal: AbortSignal) => store.follow(0n, signal)],
      ['two, and whoever follows', 2, (signal: AbortSignal) => store.follow(0n, signal)],
      ['three, and whoever follows', 3, (signal: AbortSignal) => store.follow(0n, signal)],
      ['one, and whoever watches', 1, (signal: AbortSignal) => store.watch('job-short', 0, signal)],
    ])('%s misses nothing', async (_, times, reading) => {
      const last = noted('last');
      server.goWrong('read', 'short', times);
      const seen = readTo(reading, (event) => event.id === last.id);
      while ((server.faults.get('read')?.times ?? 0) > 0) await new Promise(setImmediate);
      await appended(store, 'job-short', head, [last]);
      expect((await seen).map(({ revision }) => revision)).toEqual(Array.from({ length: 102 }, (__, n) => n + 1));
    });
  });

  it('restarts under load, loses nothing that was acknowledged, and readers go on', async () => {
    const last = noted('last');
    const reading = following(last.id);
    const watching = readTo(
      (signal) => store.watch('site-last', 0, signal),
      () => true,
    );
    const acknowledged: string[] = [];
    const writing = Array.from({ length: 4 }, async (_, writer) => {
      let head = emptyStream;
      for (let n = 0; n < 25; n++) {
        const event = noted(`${n}`);
        ({ head } = await appended(store, `site-${writer}`, head, [event]));
        acknowledged.push(event.id);
        if (acknowledged.length === 30) {
          server.stop();
          await server.listen();
        }
      }
    });
    await Promise.all(writing);
    await appended(store, 'site-last', emptyStream, [last]);
    const seen = await reading;
    expect(seen.map(({ id }) => id).toSorted()).toEqual([...acknowledged, last.id].toSorted());
    expect(ascending(seen.map(({ position }) => position))).toBe(true);
    expect(await watching).toHaveLength(1);
  }, 90_000);

  it('lets a subscription go silent, end or break, notices, and misses nothing', async () => {
    for (const fault of ['silent', 'short', 'lost', 'broken'] as const) {
      const last = noted(fault);
      server.goWrong('subscribe', fault, 1);
      const done = new AbortController();
      const reading = (async () => {
        const ids: string[] = [];
        for await (const events of store.watch(`job-${fault}`, 0, done.signal)) {
          ids.push(...events.map(({ id }) => id));
          if (ids.includes(last.id)) done.abort();
        }
        return ids;
      })();
      const subscriptions = server.calls.subscribe;
      while (server.calls.subscribe === subscriptions) await new Promise(setImmediate);
      const first = noted('first');
      const { head } = await appended(store, `job-${fault}`, emptyStream, [first]);
      await appended(store, `job-${fault}`, head, [last]);
      expect(await reading).toEqual([first.id, last.id]);
    }
  }, 90_000);

  it('is not there yet, waits for it and says so', async () => {
    const { url } = server;
    server.stop();
    const late = new KurrentEngine({ url, say: (message) => said.push(message), ...recording });
    const starting = late.start();
    while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(said[0]).toMatch(/^Waiting for the event store at 127\.0\.0\.1:\d+, which does not answer/);
    await server.listen();
    await starting;
    expect(await late.lastPosition()).toBe(0n);
    await late.stop();
  }, 60_000);

  it('has other applications’ events too, passes them over, and takes no decision on them', async () => {
    const stranger = { id: crypto.randomUUID(), type: 'Ordered', contentType: 'application/json' };
    const event = { ...stranger, data: Buffer.from('{"a":1}'), metadata: new Uint8Array() };
    const last = noted('mine');
    const reading = following(last.id);
    server.log.append('orders-1', -1, [event]);
    const { position } = await appended(store, 'job-mine', emptyStream, [last]);
    server.log.append('orders-1', 0, [{ ...event, id: crypto.randomUUID() }]);
    expect((await reading).map(({ id }) => id)).toEqual([last.id]);
    expect(await store.lastPosition()).toBe(position);
    await expect(store.read('orders-1')).rejects.toThrow('was not written by Stele');
    expect((await Array.fromAsync(store.raw('orders-1'))).flat()).toMatchObject([
      { revision: 1, actor: '', hash: null },
      { revision: 2 },
    ]);
  });

  it('is older than 22.6, says what it needs', async () => {
    await appended(store, 'job-old', emptyStream, [noted('a')]);
    server.isOld = true;
    await expect(store.read('job-old')).rejects.toThrow('Stele needs EventStoreDB 22.6 or later');
  });

  it('refuses an append for its size, is not asked again', async () => {
    const big = noted('a'.repeat(1024 * 1024));
    await expect(store.append('job-big', emptyStream, [big])).rejects.toThrow('Maximum Append Size');
    expect(server.calls.append).toBe(1);
  });

  describe('speaks TLS', () => {
    /** Appends over it; answers what the server was told of who it is. */
    async function appendedBy(pem: string) {
      const pair = await readFile(`test/fixtures/${pem}`);
      const secure = new StandIn({ key: pair, certificate: pair });
      await secure.listen();
      const url = `kurrentdb://stele:p%40ss@localhost:${secure.port}?tlsCAFile=test/fixtures/${pem}`;
      const other = new KurrentEngine({ url, ...recording });
      try {
        await appended(other, 'job-secure', emptyStream, [noted('a')]);
        return [...secure.authorizations];
      } finally {
        await other.stop();
        secure.stop();
      }
    }

    it('is told the user and the password of the address', async () => {
      const basic = Buffer.from('stele:p@ss').toString('base64');
      expect(await appendedBy('localhost.test.pem')).toEqual([`Basic ${basic}`]);
    }, 60_000);

    it('but its certificate is for another name, is told nothing', async () => {
      await expect(appendedBy('stele.test.pem')).rejects.toThrow(StoreUnavailable);
    }, 60_000);
  });

  it('does not accept the password, says so at the start instead of waiting', async () => {
    server.refuses = true;
    const other = new KurrentEngine({ url: server.url, ...recording });
    await expect(other.start()).rejects.toThrow(EventStoreRefused);
    await other.stop();
  });
});
