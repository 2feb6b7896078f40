import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deployed } from '../../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteTakenDown } from '../../../events/site/site.events.js';
import type { Encoding } from '../frames/encodings.js';
import { RingBudget } from '../frames/ring.js';
import type { LiveStream } from '../live-stream.js';
import { StreamHistory } from '../stream-history.js';
import { StreamTail } from '../stream-tail.js';
import { Connection } from './connection.js';
import { Cursor } from './cursor.js';

/** Encodes each frame as its revision, so that tests can check what a client received: `( 1 2 3 end`. */
const encoding: Encoding = {
  opening: Buffer.from('('),
  frames: (frames) => Buffer.from(frames.map(({ revision }) => ` ${revision}`).join('')),
  heartbeat: null,
  end: Buffer.from(' end'),
  reset: Buffer.from(' reset'),
  farewell: () => null,
};

const stream: LiveStream = {
  stream: 'site-a',
  finalTypes: new Set(['SiteDeleted']),
  rightsTypes: new Set(['SiteTakenDown']),
  frameOf: (event) => ({ event: event.type, data: {} }),
  assertCanWatch: async () => undefined,
  session: null,
};

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(setImmediate);
};

describe('A cursor, which sends a stream’s events to one client', () => {
  let store: MemoryStore;
  let tail: StreamTail;
  let budget: RingBudget;
  let abandoned: number;
  const cursors: Cursor[] = [];
  beforeEach(() => {
    store = new MemoryStore();
    abandoned = 0;
    budget = new RingBudget(1e9);
  });
  afterEach(() => {
    for (const cursor of cursors.splice(0)) cursor.leave();
    jest.useRealTimers();
  });

  const write = (...numbers: number[]) => store.write('site-a', ...numbers.map((number) => deployed(number)));

  function openTail(of = stream) {
    const history = new StreamHistory(store);
    tail = new StreamTail({ stream: of, store, history, budget, onAbandoned: () => abandoned++ });
  }

  /** Returns a client that either reads everything, or reads nothing until `take` is called. */
  function client({ after = 0, isFull = false, encoding: used = encoding } = {}) {
    let text = '';
    let takes = !isFull;
    let waiting: (() => void) | null = null;
    const socket = new Writable({
      highWaterMark: 1,
      write(bytes, _, done) {
        text += bytes;
        if (takes) done();
        else waiting = done;
      },
    });
    const calls: string[] = [];
    const connection: Connection = new Connection({
      socket,
      slow: new Set(),
      onDrain: () => cursor.advance(),
      onClose: () => calls.push('close'),
    });
    const cursor: Cursor = new Cursor({
      tail,
      connection,
      encoding: used,
      after,
      onEnd: () => calls.push('end'),
      recheckRights: async () => void calls.push('rights'),
    });
    cursors.push(cursor);
    cursor.start();
    const take = () => {
      takes = true;
      waiting?.();
    };
    const fill = () => {
      takes = false;
    };
    const got = async (expected: string) => {
      await until(() => text.length >= expected.length || socket.destroyed);
      return text;
    };
    return { cursor, connection, socket, calls, got, take, fill };
  }

  it('reads no event twice if new events arrive during a read from the store', async () => {
    const numbers = Array.from({ length: 600 }, (_, n) => n + 1);
    await write(...numbers);
    openTail();
    const read = tail.older.bind(tail);
    let [readsAtOnce, most] = [0, 0];
    tail.older = async (...given) => {
      readsAtOnce += 1;
      most = Math.max(most, readsAtOnce);
      if (readsAtOnce === 1) cursor.advance();
      const batch = await read(...given);
      readsAtOnce -= 1;
      return batch;
    };
    const { cursor, got } = client();
    const expected = `( ${numbers.join(' ')}`;
    expect(await got(expected)).toBe(expected);
    expect(most).toBe(1);
  });

  it('writes past events and then new ones, each exactly once', async () => {
    await write(1, 2);
    openTail();
    const { got } = client();
    expect(await got('( 1 2')).toBe('( 1 2');
    await write(3);
    expect(await got('( 1 2 3')).toBe('( 1 2 3');
  });

  it('continues after the revision that its client already has', async () => {
    await write(1, 2, 3);
    openTail();
    const { got } = client({ after: 2 });
    expect(await got('( 3')).toBe('( 3');
  });

  it('writes nothing while its client is not reading, and then writes the missed events', async () => {
    await write(1);
    openTail();
    const { got, take } = client({ isFull: true });
    const other = client();
    await other.got('( 1');
    await write(2, 3);
    expect(await other.got('( 1 2 3')).toBe('( 1 2 3');
    expect(await got('(')).toBe('(');
    take();
    expect(await got('( 1 2 3')).toBe('( 1 2 3');
  });

  it('reads events that are no longer in memory from the store, with no gap or overlap', async () => {
    const numbers = Array.from({ length: 600 }, (_, n) => n + 1);
    await write(...numbers);
    openTail();
    const expected = `( ${numbers.join(' ')}`;
    expect(await client().got(expected)).toBe(expected);
    await write(601);
    expect(await client({ after: 599 }).got('( 600 601')).toBe('( 600 601');
  });

  it('disconnects its client if the store no longer has the next events', async () => {
    const numbers = Array.from({ length: 400 }, (_, n) => n + 1);
    await write(...numbers);
    store.page = async (_, revision) =>
      revision < 144 ? [] : MemoryStore.prototype.page.call(store, 'site-a', revision, 64);
    openTail();
    const { socket, calls } = client();
    await until(() => socket.destroyed);
    expect(calls).not.toContain('end');
  });

  it('writes an end message after the stream’s last event, and then stops following the stream', async () => {
    await write(1);
    openTail();
    const { got, calls } = client();
    await got('( 1');
    await store.write('site-a', SiteDeleted({}));
    expect(await got('( 1 2 end')).toBe('( 1 2 end');
    expect([calls, abandoned]).toEqual([['end'], 1]);
  });

  it('immediately writes the end message to a client that joins after the stream has ended', async () => {
    await write(1);
    await store.write('site-a', SiteDeleted({}));
    openTail();
    expect(await client({ after: 1 }).got('( 2 end')).toBe('( 2 end');
  });

  it('waits two seconds for a revision that the stream has not reached, and continues when it arrives', async () => {
    await write(1);
    openTail();
    const other = client();
    await other.got('( 1');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const { got } = client({ after: 2 });
    jest.advanceTimersByTime(1_999);
    await write(2, 3);
    expect(await got('( 3')).toBe('( 3');
  });

  it('resets the client if the stream does not reach the client’s revision within two seconds', async () => {
    await write(1);
    openTail();
    await client().got('( 1');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const { got } = client({ after: 7 });
    jest.advanceTimersByTime(1_999);
    expect(await got('(')).toBe('(');
    jest.advanceTimersByTime(1);
    expect(await got('( reset 1')).toBe('( reset 1');
  });

  it('does not wait for a revision before the stream’s latest revision is known', async () => {
    await write(1, 2);
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    openTail();
    const { got } = client({ after: 1 });
    expect([tail.head, jest.getTimerCount()]).toEqual([null, 0]);
    expect(await got('( 2')).toBe('( 2');
  });

  it('does not reset the client if the stream has just reached the client’s revision', async () => {
    await write(1);
    openTail();
    await client().got('( 1');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const { got } = client({ after: 2 });
    const written = write(2);
    // Don't use setImmediate here, because the cursor advances in a setImmediate callback.
    for (let turns = 0; tail.head !== 2 && turns < 1_000; turns++) await Promise.resolve();
    expect(tail.head).toBe(2);
    jest.advanceTimersByTime(2_000);
    await written;
    await write(3);
    expect(await got('( 3')).toBe('( 3');
  });

  it('stops waiting for a revision once its client has left', async () => {
    await write(1);
    openTail();
    await client().got('( 1');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const { cursor, got } = client({ after: 7 });
    expect(jest.getTimerCount()).toBe(1);
    cursor.leave();
    expect(jest.getTimerCount()).toBe(0);
    expect(await got('(')).toBe('(');
  });

  it('writes nothing once its client has left, and the stream is released when the last client leaves', async () => {
    await write(1);
    openTail();
    const [one, two] = [client(), client()];
    await Promise.all([one.got('( 1'), two.got('( 1')]);
    one.cursor.leave();
    await write(2);
    expect(await two.got('( 1 2')).toBe('( 1 2');
    expect([await one.got('( 1'), abandoned]).toEqual(['( 1', 0]);
    two.cursor.leave();
    expect([abandoned, budget.held]).toEqual([1, 0]);
  });

  describe('A cursor of a log', () => {
    const skipping: Encoding = {
      ...encoding,
      skipped: ({ count, after, before }) => Buffer.from(` (${count} between ${after} and ${before})`),
    };
    function openLog(newest: number) {
      const log = { newest, among: { name: 'a', most: 1 } };
      const history = new StreamHistory(store);
      tail = new StreamTail({ stream: { ...stream, log }, store, history, budget, onAbandoned: () => abandoned++ });
    }

    it('starts with the newest events if the client has no resume point', async () => {
      await write(1, 2, 3, 4, 5);
      openLog(2);
      const { got } = client({ encoding: skipping });
      expect(await got('( 4 5')).toBe('( 4 5');
      await write(6);
      expect(await got('( 4 5 6')).toBe('( 4 5 6');
    });

    it('skips events for a slow client, and reports how many', async () => {
      await write(1);
      openLog(10);
      const slow = client({ isFull: true, encoding: skipping });
      const other = client({ encoding: skipping });
      await other.got('( 1');
      slow.take();
      await slow.got('( 1');
      slow.fill();
      await write(2);
      await other.got('( 1 2');
      const rest = Array.from({ length: 2_000 }, (_, n) => n + 3);
      for (let to = 100; to <= rest.length; to += 100) {
        await write(...rest.slice(to - 100, to));
        await other.got(`( 1 2 ${rest.slice(0, to).join(' ')}`);
      }
      slow.take();
      const newest = rest.slice(-1_024);
      // Events that were in the socket's buffer before it was full are not part of the gap.
      const expected = `( 1 2 (976 between 2 and 979) ${newest.join(' ')}`;
      expect(await slow.got(expected)).toBe(expected);
    });

    it('reads all events after a resume point from the source, however old the resume point is', async () => {
      const numbers = Array.from({ length: 600 }, (_, n) => n + 1);
      await write(...numbers);
      openLog(10);
      const expected = `( ${numbers.slice(1).join(' ')}`;
      expect(await client({ after: 1, encoding: skipping }).got(expected)).toBe(expected);
    });
  });

  it("checks its client's rights again after an event in `rightsStream` that can end them", async () => {
    await write(1);
    openTail({ ...stream, rightsStream: 'site-b' });
    const { cursor, calls, got } = client();
    expect(await got('( 1')).toBe('( 1');
    // An event might have been stored after the first check, so the rights are checked again when the stream is first
    // read.
    await until(() => calls.length === 1);
    await store.write('site-b', deployed(1), SiteTakenDown({ reason: 'phishing' }));
    await until(() => calls.length === 2);
    expect(calls).toEqual(['rights', 'rights']);
    cursor.leave();
    await until(() => abandoned === 1);
  });

  it("checks its client's rights again after an event that may have revoked them", async () => {
    await write(1);
    openTail();
    const { got, calls } = client();
    await got('( 1');
    await write(2);
    await got('( 1 2');
    expect(calls).toEqual([]);
    await store.write('site-a', SiteTakenDown({ reason: 'spam' }));
    await until(() => calls.length > 0);
    expect(calls).toEqual(['rights']);
  });
});
