import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Catalogue, eventType, upcast } from '../../src/events/event-type.js';
import {
  type Appended,
  type EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type Recorded,
} from '../../src/kernel/event-store.js';
import { canonical } from '../../src/kernel/hashing/canonical.js';
import { chainHash, type Digest } from '../../src/kernel/hashing/chain.js';

const Noted = eventType('Noted', z.object({ text: z.string() }), { example: { text: 'a note' } });
const Kept = eventType('Kept', z.object({ value: z.json() }), { example: { value: null } });

/** The schema of `Noted` in the product's next version. */
const NotedWithAuthor = eventType(
  'Noted',
  z.object({ text: z.string(), author: z.string().nullable() }),
  { example: { text: 'a note', author: 'Ann' } },
  upcast({ text: 'a note' }, (v1: { text: string }) => ({ ...v1, author: null })),
);

class Product extends Catalogue {
  installed = new Catalogue([Noted, Kept]);

  override write(type: string, data: unknown) {
    return this.installed.write(type, data);
  }

  override read(type: string, data: unknown, schema: number) {
    return this.installed.read(type, data, schema);
  }
}

export const digest: Digest = (text) => createHash('sha256').update(text).digest('hex');
export const isChained = (stream: string) => stream.startsWith('site-');
export const notes = new Catalogue([Noted, Kept]);

export const newEvent = (type: string, data: unknown): NewEvent => ({
  type,
  data,
  id: `evt_${randomUUID()}`,
  at: new Date().toISOString(),
  actor: { kind: 'user', id: 'usr_1', name: 'Zoë' },
});
export const noted = (text: string) => newEvent('Noted', { text });

const kept = (value: unknown) => newEvent('Kept', { value });
const atRevision = (due: number) => (event: Recorded) => event.revision === due;
const inStream = (stream: string, due: number) => (event: Recorded) =>
  event.stream === stream && event.revision === due;
const chained = () => `site-${randomUUID()}`;
const unchained = () => `job-${randomUUID()}`;

export async function appended(store: EventStore, stream: string, head: Head, events: NewEvent[]): Promise<Appended> {
  const outcome = await store.append(stream, head, events);
  if (outcome === 'conflict') throw new Error(`${stream} was not at ${head.revision}.`);
  return outcome;
}

type Reading = (signal: AbortSignal) => AsyncIterable<readonly Recorded[]>;

/** Aborts the read once `isLast` accepts an event, and returns all events read. */
export async function readTo(reading: Reading, isLast: (event: Recorded) => boolean): Promise<Recorded[]> {
  const done = new AbortController();
  const events: Recorded[] = [];
  for await (const batch of reading(done.signal)) {
    if (batch.length === 0) throw new Error('An empty batch was handed out.');
    events.push(...batch);
    if (batch.some(isLast)) done.abort();
  }
  return events;
}

export function chainHolds(events: readonly Recorded[]): boolean {
  let previous: string | null = null;
  return events.every(({ id, stream, revision, type, schema, at, actor, stored, hash, previousHash }) => {
    const due = chainHash(digest, previous, {
      ...{ id, stream, revision, type, schema, at, data: stored },
      actor: canonical(actor),
    });
    const holds = previousHash === previous && hash === due;
    previous = due;
    return holds;
  });
}

export const ascending = (positions: readonly bigint[]) =>
  positions.every((position, n) => n === 0 || position > (positions[n - 1] ?? 0n));

export type Opened = { readonly store: EventStore; close(): Promise<void> };
export type OpenOptions = {
  readonly catalogue: Catalogue;
  readonly isChained: (stream: string) => boolean;
  readonly digest: Digest;
};

export function eventStoreContract(engine: string, open: (options: OpenOptions) => Promise<Opened>) {
  describe(`${engine} as an event store`, () => {
    const product = new Product([]);
    let opened: Opened;
    let store: EventStore;

    beforeAll(async () => {
      opened = await open({ catalogue: product, isChained, digest });
      store = opened.store;
    });
    afterAll(() => opened.close());

    describe('appending to and reading a stream', () => {
      it('appended events are read back unchanged, oldest first', async () => {
        const site = chained();
        const events = [noted('a'), noted('b')];
        const { head, position } = await appended(store, site, emptyStream, events);

        const read = await store.read(site);
        expect(read.events).toMatchObject(events);
        expect(read.events.map(({ revision, stream }) => [stream, revision])).toEqual([
          [site, 1],
          [site, 2],
        ]);
        expect(read.events.at(-1)?.position).toBe(position);
        expect(read.head).toEqual(head);
        expect(head).toEqual({ revision: 2, hash: read.events.at(-1)?.hash });
      });

      it('a stream is empty before the first append', async () => {
        expect(await store.read(chained())).toEqual({ events: [], head: emptyStream });
      });

      it('events can be read after a given revision, and the head is always returned', async () => {
        const site = chained();
        const { head } = await appended(store, site, emptyStream, [noted('a'), noted('b'), noted('c')]);

        const revisionsAfter = async (revision: number) => {
          const read = await store.read(site, revision);
          expect(read.head).toEqual(head);
          return read.events.map((event) => event.revision);
        };
        expect(await revisionsAfter(0)).toEqual([1, 2, 3]);
        expect(await revisionsAfter(2)).toEqual([3]);
        expect(await revisionsAfter(3)).toEqual([]);
        expect(await revisionsAfter(7)).toEqual([]);
      });

      it('the events of a stream can be read a few at a time', async () => {
        const job = unchained();
        await appended(store, job, emptyStream, ['a', 'b', 'c', 'd', 'e'].map(noted));
        const revisions = async (after: number, limit: number) =>
          (await store.page(job, after, limit)).map(({ revision }) => revision);
        expect(await revisions(0, 2)).toEqual([1, 2]);
        expect(await revisions(2, 2)).toEqual([3, 4]);
        expect(await revisions(4, 2)).toEqual([5]);
        expect(await revisions(5, 2)).toEqual([]);
        expect(await store.page(unchained(), 0, 2)).toEqual([]);
      });

      it('an append that expects an old revision is refused as a whole', async () => {
        const site = chained();
        const { head } = await appended(store, site, emptyStream, [noted('a'), noted('b')]);
        const [first] = (await store.read(site)).events;

        expect(await store.append(site, emptyStream, [noted('c'), noted('d'), noted('e')])).toBe('conflict');
        expect(await store.append(site, { revision: 1, hash: first!.hash }, [noted('c')])).toBe('conflict');
        expect((await store.read(site)).head).toEqual(head);
      });

      it('an append that expects a future revision is refused', async () => {
        const [site, job] = [chained(), unchained()];
        expect(await store.append(job, { revision: 1, hash: null }, [noted('a')])).toBe('conflict');
        expect(await store.append(site, { revision: 5, hash: 'f'.repeat(64) }, [noted('a')])).toBe('conflict');
        expect((await store.read(site)).events).toEqual([]);
        expect((await store.read(job)).events).toEqual([]);
      });

      it('an append that expects a different hash for the last event is refused', async () => {
        const site = chained();
        await appended(store, site, emptyStream, [noted('a')]);
        expect(await store.append(site, { revision: 1, hash: 'f'.repeat(64) }, [noted('b')])).toBe('conflict');
        expect((await store.read(site)).events).toHaveLength(1);
      });

      it('if many writers append at the same revision, exactly one succeeds', async () => {
        const site = chained();
        const outcomes = await Promise.all(
          Array.from({ length: 16 }, (_, n) => store.append(site, emptyStream, [noted(`${n}`), noted(`${n} too`)])),
        );
        expect(outcomes.filter((outcome) => outcome !== 'conflict')).toHaveLength(1);
        expect((await store.read(site)).events).toHaveLength(2);
      });

      it('if an event violates its schema, the whole append is refused', async () => {
        const site = chained();
        await expect(store.append(site, emptyStream, [noted('a'), newEvent('Noted', { text: 1 })])).rejects.toThrow();
        await expect(store.append(site, emptyStream, [newEvent('Unheard', {})])).rejects.toThrow();
        await expect(store.append(site, emptyStream, [])).rejects.toThrow();
        expect(await store.read(site)).toEqual({ events: [], head: emptyStream });
      });

      it('each of many concurrent appends succeeds or fails independently', async () => {
        const taken = chained();
        await appended(store, taken, emptyStream, [noted('first')]);
        const free = Array.from({ length: 20 }, chained);
        const outcomes = await Promise.all(
          free.flatMap((site) => [
            store.append(site, emptyStream, [noted('a'), noted('b')]),
            store.append(taken, emptyStream, [noted('late')]),
            store.append(site, emptyStream, [newEvent('Noted', {})]).catch(() => 'refused'),
          ]),
        );
        for (const [n, site] of free.entries()) {
          const { events, head } = await store.read(site);
          expect(outcomes[3 * n]).toEqual({ head, position: events[1]?.position });
          expect(outcomes.slice(3 * n + 1, 3 * n + 3)).toEqual(['conflict', 'refused']);
        }
      });
    });

    describe('repeating an append', () => {
      it('a repeated append returns the first result and appends nothing', async () => {
        for (const stream of [chained(), unchained()]) {
          const events = [noted('a'), noted('b')];
          const first = await appended(store, stream, emptyStream, events);
          expect(await store.append(stream, emptyStream, events)).toEqual(first);
          expect((await store.read(stream)).events).toHaveLength(2);
        }
      });

      it('a repeated append returns the first result even after other appends', async () => {
        const site = chained();
        const before = await appended(store, site, emptyStream, [noted('before')]);
        const events = [noted('a'), noted('b')];
        const first = await appended(store, site, before.head, events);
        await appended(store, site, first.head, [noted('after')]);
        expect(await store.append(site, before.head, events)).toEqual(first);
      });

      it('if an append and its retry run concurrently, the events are written only once', async () => {
        const site = chained();
        const events = [noted('a')];
        const [one, other] = await Promise.all([
          store.append(site, emptyStream, events),
          store.append(site, emptyStream, events),
        ]);
        expect(one).toEqual(other);
        expect((await store.read(site)).events).toHaveLength(1);
      });

      it('a repeated append fails with a conflict if the stream contains other events or ends before it', async () => {
        const site = chained();
        const [a, b] = [noted('a'), noted('b')];
        await appended(store, site, emptyStream, [a, b]);
        expect(await store.append(site, emptyStream, [a, noted('b')])).toBe('conflict');
        expect(await store.append(site, emptyStream, [b])).toBe('conflict');
        expect(await store.append(site, emptyStream, [a, b, noted('c')])).toBe('conflict');
      });
    });

    describe('the hash chain of a stream', () => {
      it('the hash chain is valid across several appends, and can be computed from the stored data', async () => {
        const site = chained();
        let head = emptyStream;
        for (const batch of [[noted('a'), noted('b')], [kept({ b: 1, a: [1.5e300, 'é'] })], [noted('c')]]) {
          ({ head } = await appended(store, site, head, batch));
        }
        const { events } = await store.read(site);
        expect(events).toHaveLength(4);
        expect(chainHolds(events)).toBe(true);
        expect(events[0]?.previousHash).toBeNull();
      });

      it('only streams with a hash chain have hashes', async () => {
        const job = unchained();
        const first = await appended(store, job, emptyStream, [noted('a')]);
        const second = await appended(store, job, first.head, [noted('b')]);
        expect(second.head).toEqual({ revision: 2, hash: null });
        for (const event of (await store.read(job)).events)
          expect(event).toMatchObject({ hash: null, previousHash: null });
      });
    });

    describe('scanning the whole log', () => {
      const scanned = async (after: bigint, last: bigint, signal = new AbortController().signal) => {
        const batches: (readonly Recorded[])[] = [];
        for await (const batch of store.scan(after, last, signal)) batches.push(batch);
        return batches.flat();
      };

      it('a scan between two positions returns each event exactly once, with the same fields as a normal read', async () => {
        const before = await store.lastPosition();
        const [site, job] = [chained(), unchained()];
        const value = { a: ['\u0000\u001e\u001f', '👩‍👩‍👧‍👦', ''] };
        const first = await appended(store, site, emptyStream, [noted('a\tb\\n\n'), kept(value)]);
        const other = await appended(store, job, emptyStream, [noted('c')]);
        const last = await appended(store, site, first.head, [noted('d')]);

        const told = [...(await store.read(site)).events, ...(await store.read(job)).events];
        const inOrder = told.sort((a, b) => Number(a.position - b.position));
        const plain = (events: readonly Recorded[]) =>
          events.map(
            ({ actor, data, stored, position, stream, revision, id, type, schema, at, hash, previousHash }) => ({
              ...{ actor, data, stored, position, stream, revision, id, type, schema, at, hash, previousHash },
            }),
          );
        expect(plain(await scanned(before, last.position))).toEqual(plain(inOrder));
        expect(plain(await scanned(first.position, other.position))).toEqual(plain(inOrder.slice(2, 3)));
        expect(await scanned(last.position, last.position)).toEqual([]);
      });

      it('a scan handles any number of events, in batches that are never empty', async () => {
        const before = await store.lastPosition();
        const job = unchained();
        const many = Array.from({ length: 4_321 }, (_, n) => noted(`${n}`));
        const { position } = await appended(store, job, emptyStream, many);
        const batches = [];
        for await (const batch of store.scan(before, position, new AbortController().signal)) batches.push(batch);
        expect(batches.every(({ length }) => length > 0)).toBe(true);
        expect(batches.flat().map(({ revision }) => revision)).toEqual(many.map((_, n) => n + 1));
      });

      it('a scan can return many large events', async () => {
        const before = await store.lastPosition();
        const big = 'ä'.repeat(512 * 1024);
        const job = unchained();
        const { position } = await appended(
          store,
          job,
          emptyStream,
          Array.from({ length: 9 }, () => kept(big)),
        );
        expect((await scanned(before, position)).map(({ data }) => data)).toEqual(
          Array.from({ length: 9 }, () => ({ value: big })),
        );
      });

      it('a scan ends when its signal aborts', async () => {
        const before = await store.lastPosition();
        const { position } = await appended(store, unchained(), emptyStream, [noted('a')]);
        expect(await scanned(before, position, AbortSignal.abort())).toEqual([]);
      });
    });

    describe('the raw form of a stream', () => {
      const raw = async (stream: string) => (await Array.fromAsync(store.raw(stream))).flat();

      it('the raw form of a long stream has several pages, and contains exactly the strings that were hashed', async () => {
        const site = chained();
        let head = emptyStream;
        for (let batch = 0; batch < 3; batch++) {
          const events = Array.from({ length: 401 }, (_, n) => kept({ z: n, a: 'é\u0000' }));
          ({ head } = await appended(store, site, head, events));
        }
        const found = await raw(site);
        expect(found.map(({ revision }) => revision)).toEqual(Array.from({ length: 1_203 }, (_, n) => n + 1));
        let previous: string | null = null;
        for (const event of found) {
          expect([event.previousHash, event.hash]).toEqual([previous, chainHash(digest, previous, event)]);
          previous = event.hash;
        }
        const { events } = await store.read(site, 1_202);
        expect(found.at(-1)).toEqual({
          id: events[0]?.id,
          stream: site,
          revision: 1_203,
          type: 'Kept',
          schema: 1,
          at: events[0]?.at,
          actor: '{"id":"usr_1","kind":"user","name":"Zoë"}',
          data: '{"value":{"a":"é\\u0000","z":400}}',
          hash: head.hash,
          previousHash: events[0]?.previousHash,
        });
      });

      it('the raw form contains the events that existed when reading began', async () => {
        const site = chained();
        const { head } = await appended(
          store,
          site,
          emptyStream,
          Array.from({ length: 700 }, () => noted('before')),
        );
        const revisions: number[] = [];
        let late: Head | undefined;
        for await (const page of store.raw(site)) {
          expect(page.length).toBeGreaterThan(0);
          revisions.push(...page.map(({ revision }) => revision));
          late ??= (await appended(store, site, head, [noted('late')])).head;
        }
        expect(late?.revision).toBe(701);
        expect(revisions).toEqual(Array.from({ length: 700 }, (_, n) => n + 1));
      });

      it('the raw form contains events in the schema version in which they were stored', async () => {
        const site = chained();
        await appended(store, site, emptyStream, [noted('a')]);
        try {
          product.installed = new Catalogue([NotedWithAuthor]);
          expect(await raw(site)).toMatchObject([{ schema: 1, data: '{"text":"a"}' }]);
        } finally {
          product.installed = notes;
        }
      });

      it('the raw form of a missing stream is empty', async () => expect(await raw(chained())).toEqual([]));
    });

    describe('truncating a stream', () => {
      it('after truncation, the remaining events keep their revisions for every reader', async () => {
        const stream = unchained();
        const before = await store.lastPosition();
        const { head } = await appended(store, stream, emptyStream, [noted('one'), noted('two'), noted('three')]);
        await store.truncate(stream, 2);

        const texts = (events: readonly Recorded[]) =>
          events
            .filter((event) => event.stream === stream)
            .map(({ revision, data }) => [revision, (data as { text: string }).text]);
        expect(await store.read(stream)).toMatchObject({ head, events: [{ revision: 3 }] });
        expect(texts(await store.page(stream, 0, 10))).toEqual([[3, 'three']]);
        const seen: Recorded[] = [];
        for await (const batch of store.scan(before, await store.lastPosition(), AbortSignal.timeout(20_000)))
          seen.push(...batch);
        expect(texts(seen)).toEqual([[3, 'three']]);

        const next = await appended(store, stream, head, [noted('four')]);
        expect(next.head.revision).toBe(4);
        expect(texts((await store.read(stream)).events)).toEqual([
          [3, 'three'],
          [4, 'four'],
        ]);
      });

      it('an append can’t restart a truncated stream at the first revision, even during other writes', async () => {
        const stream = unchained();
        const { head } = await appended(store, stream, emptyStream, [noted('one'), noted('two')]);
        await store.truncate(stream, 1);
        expect(await store.append(stream, emptyStream, [noted('again')])).toBe('conflict');

        const others = Array.from({ length: 20 }, chained).map((site) =>
          appended(store, site, emptyStream, [noted('a')]),
        );
        expect(await store.append(stream, emptyStream, [noted('and again')])).toBe('conflict');
        await Promise.all(others);
        expect((await store.read(stream)).head).toEqual(head);
      });

      it('truncating a stream can be repeated, and affects no other stream', async () => {
        const [stream, other] = [unchained(), unchained()];
        await appended(store, stream, emptyStream, [noted('one'), noted('two')]);
        await appended(store, other, emptyStream, [noted('mine')]);
        await store.truncate(stream, 1);
        await store.truncate(stream, 1);
        expect((await store.read(stream)).events).toHaveLength(1);
        expect((await store.read(other)).events).toHaveLength(1);
      });

      it('truncating a stream with a hash chain is refused', async () => {
        const stream = chained();
        await appended(store, stream, emptyStream, [noted('one'), noted('two')]);
        await expect(store.truncate(stream, 1)).rejects.toThrow(/hash chain/);
        expect((await store.read(stream)).events).toHaveLength(2);
      });
    });

    describe('the data of stored events', () => {
      const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ in: [inner] }), 'the bottom');

      it.each([
        ['a NUL', 'a\u0000b'],
        ['quotes, backslashes and braces', '"\\" {"\\\\"},{NULL}\n'],
        ['emoji and combining marks', '👩‍👩‍👧‍👦 e\u0301 \u2028 ไทย'],
        ['an empty text', ''],
        ['numbers', [0, -0.1, 1e21, 5e-324, 9007199254740991, true, null]],
        ['keys in any order', { z: 1, a: 2, '€': 3, '\ud83d\ude00': 4, '\ufb33': 5, 'a"\u0000': 6 }],
        ['deeply nested data', deep],
      ])('an event’s data is stored in canonical form and read back unchanged: %s', async (_, value) => {
        const site = chained();
        const event = { ...kept(value), actor: { kind: 'system' as const, name: 'a\u0000"b\\' } };
        await appended(store, site, emptyStream, [event]);
        const { events } = await store.read(site);
        expect(events[0]).toMatchObject({ data: { value }, actor: event.actor, stored: canonical({ value }) });
        expect(chainHolds(events)).toBe(true);
      });

      it('an event can have several MiB of data, even while small events are appended', async () => {
        const big = 'ä'.repeat(512 * 1024);
        const sites = Array.from({ length: 6 }, chained);
        await Promise.all(
          sites.map((site, n) => appended(store, site, emptyStream, n % 2 ? [noted('s')] : [kept(big), kept(big)])),
        );
        for (const [n, site] of sites.entries()) {
          const { events } = await store.read(site);
          expect(events.map(({ data }) => data)).toEqual(n % 2 ? [{ text: 's' }] : [{ value: big }, { value: big }]);
          expect(chainHolds(events)).toBe(true);
        }
      });

      it('events are read in the newest schema version, but their stored data and hashes do not change', async () => {
        const site = chained();
        const { head } = await appended(store, site, emptyStream, [noted('a')]);
        try {
          product.installed = new Catalogue([NotedWithAuthor]);
          await appended(store, site, head, [newEvent('Noted', { text: 'b', author: 'usr_2' })]);
          const { events } = await store.read(site);
          const watched = await readTo((signal) => store.watch(site, 0, signal), atRevision(2));
          for (const read of [events, watched]) {
            expect(read).toMatchObject([
              { schema: 1, data: { text: 'a', author: null }, stored: '{"text":"a"}' },
              { schema: 2, data: { text: 'b', author: 'usr_2' } },
            ]);
            expect(chainHolds(read)).toBe(true);
          }
        } finally {
          product.installed = notes;
        }
      });

      it('events of an unknown type are returned unchanged', async () => {
        const site = chained();
        await appended(store, site, emptyStream, [kept('something')]);
        try {
          product.installed = new Catalogue([Noted]);
          expect((await store.read(site)).events).toMatchObject([{ type: 'Kept', data: { value: 'something' } }]);
        } finally {
          product.installed = notes;
        }
      });
    });

    describe('following the events of a stream or of the log', () => {
      it('a stream reader receives every past and future event after a given revision exactly once', async () => {
        const [site, other] = [chained(), chained()];
        let { head } = await appended(store, site, emptyStream, [noted('1'), noted('2'), noted('3')]);
        const { head: otherHead } = await appended(store, other, emptyStream, [noted('not mine')]);

        const watching = readTo((signal) => store.watch(site, 1, signal), atRevision(8));
        for (let n = 4; n <= 8; n++) {
          ({ head } = await appended(store, site, head, [noted(`${n}`)]));
          if (n === 5) await appended(store, other, otherHead, [noted('not mine either')]);
        }
        const events = await watching;
        expect(events.map(({ revision }) => revision)).toEqual([2, 3, 4, 5, 6, 7, 8]);
        expect(events.map(({ data }) => data)).toMatchObject([2, 3, 4, 5, 6, 7, 8].map((n) => ({ text: `${n}` })));
        expect(events.every(({ stream }) => stream === site)).toBe(true);
      });

      it('a reader can watch a stream that does not exist yet', async () => {
        const site = chained();
        const watching = readTo((signal) => store.watch(site, 0, signal), atRevision(1));
        const event = noted('at last');
        await appended(store, site, emptyStream, [event]);
        expect(await watching).toMatchObject([event]);
      });

      it('a reader of the whole log receives all past and future events after a given position, in order', async () => {
        const site = chained();
        const first = await appended(store, site, emptyStream, [noted('a'), noted('b')]);
        const from = (await store.read(site)).events[0]!.position;
        const following = readTo((signal) => store.follow(from, signal), inStream(site, 4));
        await appended(store, site, first.head, [noted('c'), noted('d')]);
        const events = await following;
        expect(events.filter(({ stream }) => stream === site).map(({ revision }) => revision)).toEqual([2, 3, 4]);
        expect(ascending(events.map(({ position }) => position))).toBe(true);
        expect(await store.lastPosition()).toBeGreaterThanOrEqual(events.at(-1)!.position);
      });

      it('a reader receives past events even if they span several pages', async () => {
        const job = unchained();
        const from = await store.lastPosition();
        let head = emptyStream;
        for (let n = 0; n < 12; n++) {
          ({ head } = await appended(
            store,
            job,
            head,
            Array.from({ length: 100 }, (_, k) => noted(`${n * 100 + k}`)),
          ));
        }
        const revisions = Array.from({ length: 1200 }, (_, n) => n + 1);
        const followed = await readTo((signal) => store.follow(from, signal), inStream(job, 1200));
        const watched = await readTo((signal) => store.watch(job, 0, signal), atRevision(1200));
        expect(followed.filter(({ stream }) => stream === job).map(({ revision }) => revision)).toEqual(revisions);
        expect(watched.map(({ revision }) => revision)).toEqual(revisions);
      });

      it.each(['watch', 'follow'] as const)(
        'a reader ends without an error when its signal aborts: %s',
        async (reader) => {
          const site = chained();
          const { head, position: from } = await appended(store, site, emptyStream, [noted('a')]);
          await appended(store, site, head, [noted('b')]);
          const read: Reading = (signal) =>
            reader === 'watch' ? store.watch(site, 0, signal) : store.follow(from, signal);

          const took: number[] = [];
          for (let n = 0; n < 3; n++) {
            const done = new AbortController();
            const batches = read(done.signal)[Symbol.asyncIterator]();
            expect(await batches.next()).toMatchObject({ done: false });
            const more = batches.next(); // This read stays pending, because no event arrives.
            const aborted = performance.now();
            done.abort();
            expect(await more).toEqual({ done: true, value: undefined });
            took.push(performance.now() - aborted);
          }
          // A single read may be slow on a busy machine, but a reader that only polled would take longer every time.
          expect(Math.min(...took)).toBeLessThan(1_900);

          for await (const _ of read(AbortSignal.abort())) throw new Error('It had ended before it began.');
        },
      );

      it('a reader can stop in the middle of a batch', async () => {
        const site = chained();
        await appended(store, site, emptyStream, [noted('a'), noted('b')]);
        for await (const events of store.watch(site, 0, new AbortController().signal)) {
          expect(events).not.toEqual([]);
          break;
        }
      });

      it('readers miss no events while 16 writers append to shared streams and to streams of their own', async () => {
        const from = await store.lastPosition();
        const own = Array.from({ length: 16 }, chained);
        const shared = [chained(), unchained()];
        const last = noted('last');
        const isLast = ({ id }: Recorded) => id === last.id;
        const written = Promise.withResolvers<void>();

        /** Reads one batch, then waits until everything is written, to fall as far behind as possible. */
        const late: Reading = async function* (signal) {
          for await (const batch of store.follow(from, signal)) {
            yield batch;
            await written.promise;
          }
        };
        const following = [
          ...Array.from({ length: 3 }, () => readTo((signal) => store.follow(from, signal), isLast)),
          readTo(late, isLast),
        ];
        const watching = readTo((signal) => store.watch(shared[0]!, 0, signal), isLast);

        const acknowledged = await writeToEach(store, own, shared, 30);
        await appended(store, shared[0]!, (await store.read(shared[0]!)).head, [last]);
        written.resolve();

        const streams = new Set([...own, ...shared]);
        for (const everything of await Promise.all(following)) {
          expect(ascending(everything.map(({ position }) => position))).toBe(true);
          const ids = everything.filter(({ stream }) => streams.has(stream)).map(({ id }) => id);
          expect(ids.toSorted()).toEqual([...acknowledged, last.id].toSorted());
        }
        const { events } = await store.read(shared[0]!);
        expect((await watching).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
        expect(chainHolds(events)).toBe(true);
      }, 120_000);
    });
  });
}

/**
 * Runs one writer per `own` stream. All writers also compete for the `shared` streams. Returns the IDs of
 * acknowledged events.
 */
export async function writeToEach(
  store: EventStore,
  own: string[],
  shared: string[],
  rounds: number,
): Promise<string[]> {
  const acknowledged: string[] = [];
  const write = async (stream: string, head: Head, events: NewEvent[]) => {
    const outcome = await store.append(stream, head, events);
    if (outcome !== 'conflict') acknowledged.push(...events.map(({ id }) => id));
    return outcome;
  };
  await Promise.all(
    own.map(async (stream, writer) => {
      let head = emptyStream;
      for (let n = 0; n < rounds; n++) {
        const outcome = await write(
          stream,
          head,
          Array.from({ length: 1 + (n % 3) }, () => noted(`${writer}/${n}`)),
        );
        if (outcome === 'conflict') throw new Error(`Somebody else wrote to ${stream}.`);
        head = outcome.head;
        const common = shared[n % shared.length];
        if (common) await write(common, (await store.read(common)).head, [noted(`${writer}/${n} shared`)]);
      }
    }),
  );
  return acknowledged;
}
