import { describe, expect, it } from '@jest/globals';
import { emptyStream, StoreUnavailableError } from '../../src/kernel/event-store.js';
import { KurrentEngine } from '../../src/storage/store/kurrent/kurrent.engine.js';
import { appended, ascending, chainHolds, noted, readTo } from '../contracts/event-store.contract.js';
import { following, recording, withServer } from '../support/eventstore/kurrent/with-server.js';

/** Opens a subscription, which readers started later will share. */
async function subscribed(store: KurrentEngine) {
  const present = new AbortController();
  const events = Array.from({ length: 100 }, (_, n) => noted(`${n}`));
  const { head: after, position } = await appended(store, 'job-short', emptyStream, events);
  const others = store.follow(position, present.signal)[Symbol.asyncIterator]();
  const hearing = others.next();
  const { head } = await appended(store, 'job-short', after, [noted('heard by others')]);
  await hearing;
  return { head, present };
}

type Reading = (store: KurrentEngine, signal: AbortSignal) => ReturnType<KurrentEngine['follow']>;
const follows: Reading = (store, signal) => store.follow(0n, signal);
const watches: Reading = (store, signal) => store.watch('job-short', 0, signal);

describe('KurrentDB engine with a failing server', () => {
  it.concurrent(
    'the engine waits for a slow response',
    withServer(async ({ server, store }) => {
      server.goWrong('append', { slowMs: 1_500 });
      server.goWrong('read', { slowMs: 1_500 });
      await appended(store, 'site-slow', emptyStream, [noted('a')]);
      expect((await store.read('site-slow')).events).toHaveLength(1);
    }),
  );

  it.concurrent(
    'batchAppend is never used, even if available, because it has no deadline',
    withServer(async ({ server, store }) => {
      await appended(store, 'site-one', emptyStream, [noted('a'), noted('b')]);
      expect(server.calls.append).toBeGreaterThan(0);
      expect(server.calls.batchAppend).toBe(0);
    }),
  );

  it.concurrent(
    'the engine reports an outage after ten seconds without a response, and a failed append can be retried later',
    withServer(async ({ server, store }) => {
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
        expect(outcome.status === 'rejected' && outcome.reason).toEqual(expect.any(StoreUnavailableError));
      expect(performance.now() - began).toBeGreaterThan(9_000);
      server.faults.clear();
      await appended(store, 'site-silent', emptyStream, events);
      expect((await store.read('site-silent')).events).toHaveLength(1);
    }),
    60_000,
  );

  it.concurrent(
    'a call without a response is retried',
    withServer(async ({ server, store }) => {
      server.goWrong('append', 'silent', 1);
      server.goWrong('read', 'silent', 1);
      await appended(store, 'site-once', emptyStream, [noted('a')]);
      expect((await store.read('site-once')).events).toHaveLength(1);
    }),
    60_000,
  );

  it.concurrent(
    'if the response to an append is lost, the engine discovers that the append succeeded',
    withServer(async ({ server, store }) => {
      const event = noted('a');
      server.goWrong('append', 'lost', 1);
      const { head } = await appended(store, 'site-lost', emptyStream, [event]);
      const { events } = await store.read('site-lost');
      expect(events.map(({ id }) => id)).toEqual([event.id]);
      expect(head).toEqual({ revision: 1, hash: events[0]?.hash });
      expect(server.calls.append).toBeGreaterThan(1);
    }),
    60_000,
  );

  it.concurrent(
    'the engine recovers from connections that are cut before or during responses',
    withServer(async ({ server, store }) => {
      const { head } = await appended(store, 'site-cut', emptyStream, [noted('a'), noted('b')]);
      server.goWrong('append', 'cut', 2);
      await appended(store, 'site-cut', head, [noted('c')]);
      for (const fault of ['cut', 'lost'] as const) {
        server.goWrong('read', fault, 1);
        const { events } = await store.read('site-cut');
        expect(events).toHaveLength(3);
        expect(chainHolds(events)).toBe(true);
      }
    }),
    60_000,
  );

  it.concurrent(
    'an empty or unreadable response is treated like a missing response',
    withServer(async ({ server, store }) => {
      server.goWrong('append', 'broken', 1);
      server.goWrong('read', 'broken', 1);
      const { position } = await appended(store, 'site-broken', emptyStream, [noted('a')]);
      const { events } = await store.read('site-broken');
      expect(events.map((event) => event.position)).toEqual([position]);
    }),
    60_000,
  );

  it.concurrent(
    'a scan fails if its response is truncated, even if the response looks complete',
    withServer(async ({ server, store }) => {
      const events = Array.from({ length: 100 }, (_, n) => noted(`${n}`));
      const { position } = await appended(store, 'job-short', emptyStream, events);
      // The fault applies to two reads, because a scan first reads which events are truncated, and then the log.
      server.goWrong('read', 'short', 2);
      const scanning = Array.fromAsync(store.scan(0n, position, new AbortController().signal));
      await expect(scanning).rejects.toThrow(StoreUnavailableError);
    }),
  );

  it.concurrent.each([
    ['one response to a follower', 1, follows],
    ['two responses to a follower', 2, follows],
    ['three responses to a follower', 3, follows],
    ['one response to a watcher', 1, watches],
  ] as const)('readers miss no events if responses are truncated but look complete: %s', (_, times, reading) =>
    withServer(async ({ server, store }) => {
      const { head, present } = await subscribed(store);
      const last = noted('last');
      server.goWrong('read', 'short', times);
      const seen = readTo(
        (signal) => reading(store, signal),
        (event) => event.id === last.id,
      );
      while ((server.faults.get('read')?.times ?? 0) > 0) await new Promise(setImmediate);
      await appended(store, 'job-short', head, [last]);
      expect((await seen).map(({ revision }) => revision)).toEqual(Array.from({ length: 102 }, (__, n) => n + 1));
      present.abort();
    })(),
  );

  it.concurrent(
    'if the server restarts under load, no acknowledged event is lost and readers continue',
    withServer(async ({ server, store }) => {
      const last = noted('last');
      const reading = following(store, last.id);
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
    }),
    90_000,
  );

  it.concurrent(
    'if a subscription goes silent, ends or breaks, the engine notices and misses no events',
    withServer(async ({ server, store }) => {
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
    }),
    90_000,
  );

  it.concurrent(
    'at startup, the engine waits for the server and reports that it is waiting',
    withServer(async ({ server, said }) => {
      const { url } = server;
      server.stop();
      const late = new KurrentEngine({ url, say: (message) => said.push(message), ...recording });
      const starting = late.start();
      while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(said[0]).toMatch(/^Waiting for the event store at 127\.0\.0\.1:\d+, which is not responding/);
      await server.listen();
      await starting;
      expect(await late.lastPosition()).toBe(0n);
      await late.stop();
    }),
    60_000,
  );
});
