import { describe, expect, it, jest } from '@jest/globals';
import { MemorySnapshots, MemoryStore } from '../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../adapters/random-ids.js';
import { type SlugEvent, SlugHeld } from '../events/slug.events.js';
import type { Decide, Fold } from './decider.js';
import { StoreUnavailableError } from './event-store.js';
import { refuse } from './refusal.js';
import { Snapshots } from './snapshots.js';
import { Transactions } from './transactions.js';

// A sample stream: a table with three chairs. The event `name` seats a guest, and `-name` removes the guest.
type Table = readonly string[];
const came = (guest: string) => SlugHeld({ siteId: guest });
const left = (guest: string) => SlugHeld({ siteId: `-${guest}` });
const table: Fold<Table, SlugEvent> = {
  name: 'table',
  version: 1,
  initial: [],
  evolve: (guests, { data: { siteId } }) =>
    siteId.startsWith('-') ? guests.filter((guest) => guest !== siteId.slice(1)) : [...guests, siteId],
};
const sitDown: Decide<Table, string, SlugEvent> = (guests, guest) => {
  if (guests.includes(guest)) return [];
  return guests.length === 3 ? refuse('forbidden', 'The table is full.') : [came(guest)];
};
const squeezeIn: Decide<Table, string, SlugEvent> = (guests, guest) => (guests.includes(guest) ? [] : [came(guest)]);

const by = { at: '2026-11-20T12:00:00.000Z', actor: { kind: 'user', id: 'usr_1' } } as const;
const stream = 'slug-table';

/** Simulates several processes that share one store. Each process has its own cache. */
function house(store = new MemoryStore(), snapshots: Snapshots = new MemorySnapshots()) {
  const process = (committed?: (position: bigint) => Promise<void>) => {
    const transactions = new Transactions(store, snapshots, new RandomIds(), committed);
    return {
      transactions,
      seat: (guest: string, decide = sitDown, at = stream) => transactions.run(at, table, decide, guest, by),
    };
  };
  const guests = async () => (await process().transactions.state(stream, table)).state;
  return { store, process, guests };
}

describe('A command', () => {
  it('a command is recorded with its actor, its time and unique IDs', async () => {
    const { store, process } = house();
    const outcome = await process().seat('ann');
    expect(outcome).toMatchObject({
      state: ['ann'],
      head: { revision: 1 },
      position: 1n,
      events: [{ ...came('ann'), ...by, id: expect.stringMatching(/^evt_[0-9a-z]{26}$/) }],
    });
    const { events, head } = await store.read(stream);
    expect(events).toMatchObject(outcome.events);
    expect(head).toEqual(outcome.head);
  });

  it('each event is folded with its revision, whether the event was read or just appended', async () => {
    const seats: Fold<readonly [string, number][], SlugEvent> = {
      name: 'seats',
      version: 1,
      initial: [],
      evolve: (state, { data: { siteId } }, revision) => [...state, [siteId, revision]],
    };
    const { process } = house();
    const couple: Decide<unknown, null, SlugEvent> = () => [came('bob'), came('cat')];
    await process().seat('ann');
    const first = process().transactions;
    const { state } = await first.run(stream, seats, couple, null, by);
    expect(state).toEqual([
      ['ann', 1],
      ['bob', 2],
      ['cat', 3],
    ]);
    expect((await process().transactions.state(stream, seats)).state).toEqual(state);
    await process().seat('-ann', (_, guest) => [left(guest.slice(1))]);
    expect((await first.state(stream, seats)).state.at(-1)).toEqual(['-ann', 4]);
  });

  it('a command records either all of its events or none', async () => {
    const { store, process } = house();
    const party: Decide<Table, null, SlugEvent> = () => [came('ann'), came('bob')];
    const { transactions } = process();
    expect(await transactions.run(stream, table, party, null, by)).toMatchObject({
      state: ['ann', 'bob'],
      head: { revision: 2 },
    });
    const misshapen: Decide<Table, null, SlugEvent> = () => [came('cid'), SlugHeld(JSON.parse('{"siteId":7}'))];
    await expect(transactions.run(stream, table, misshapen, null, by)).rejects.toMatchObject({ name: 'ZodError' });
    expect((await store.read(stream)).head.revision).toBe(2);
    expect((await process().seat('cid')).state).toEqual(['ann', 'bob', 'cid']);
  });

  it('a command that changes nothing records nothing, and returns the current state', async () => {
    const { store, process } = house();
    const { seat } = process();
    const first = await seat('ann');
    expect(await seat('ann')).toEqual({ state: ['ann'], head: first.head, events: [], position: null });
    expect(await store.lastPosition()).toBe(1n);
  });

  it('a command that is refused records nothing', async () => {
    const { store, process } = house();
    const { seat } = process();
    for (const guest of ['ann', 'bob', 'cid']) await seat(guest);
    await expect(seat('dan')).rejects.toMatchObject({ code: 'forbidden', detail: 'The table is full.' });
    expect(await store.lastPosition()).toBe(3n);
    await store.write(stream, left('bob'));
    expect((await seat('dan')).state).toEqual(['ann', 'cid', 'dan']);
  });

  it('a command whose decision function throws does not affect other commands', async () => {
    const { process } = house();
    const { seat } = process();
    const broken = () => {
      throw new TypeError('broken');
    };
    const [first, second] = await Promise.allSettled([seat('ann', broken), seat('bob')]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { state: ['bob'] } });
  });

  it('a command’s decision function receives the revision of the state on which it decides', async () => {
    const { process } = house();
    const { seat } = process();
    const revisions: number[] = [];
    const watched: typeof sitDown = (guests, guest, revision) => {
      revisions.push(revision);
      return sitDown(guests, guest, revision);
    };
    for (const guest of ['ann', 'bob']) await seat(guest, watched);
    expect(revisions).toEqual([0, 1]);
  });
});

describe('Commands on the same stream', () => {
  it('commands on a stream run one at a time within a process, so no decision has to be repeated', async () => {
    const { process, guests } = house();
    const { seat } = process();
    let decided = 0;
    const counted: typeof squeezeIn = (...asked) => {
      decided++;
      return squeezeIn(...asked);
    };
    const all = Array.from({ length: 50 }, (_, n) => `guest ${n}`);
    await Promise.all(all.map((guest) => seat(guest, counted)));
    expect(await guests()).toEqual(all);
    expect(decided).toBe(50);
  });

  it('commands on one stream do not block commands on other streams', async () => {
    const { store, process } = house();
    const { seat } = process();
    const gate = Promise.withResolvers<void>();
    store.beforeAppend = (at) => (at === 'slug-slow' ? gate.promise : Promise.resolve());
    const slow = seat('ann', sitDown, 'slug-slow');
    expect((await seat('bob', sitDown, 'slug-fast')).state).toEqual(['bob']);
    gate.resolve();
    expect((await slow).state).toEqual(['ann']);
  });

  it('a command fails after waiting ten seconds for an earlier command on its stream', async () => {
    const { store, process, guests } = house();
    const { seat } = process();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    store.beforeAppend = () => {
      begun.resolve();
      return gate.promise;
    };
    const [first, second] = [seat('ann'), seat('bob')];
    await begun.promise;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_001);
    gate.resolve();
    await expect(second).rejects.toBeInstanceOf(StoreUnavailableError);
    clock.mockRestore();
    expect((await first).state).toEqual(['ann']);
    expect(await guests()).toEqual(['ann']);
  });

  it('a command does not wait for the previous command to be acknowledged', async () => {
    const { process } = house();
    const gate = Promise.withResolvers<void>();
    const positions: bigint[] = [];
    const { seat } = process(async (position) => {
      positions.push(position);
      if (position === 1n) await gate.promise;
    });
    let answered = false;
    const first = seat('ann').finally(() => (answered = true));
    await seat('bob');
    expect(answered).toBe(false);
    gate.resolve();
    await first;
    await seat('bob');
    await expect(seat('ann', () => refuse('forbidden'))).rejects.toThrow();
    expect(positions).toEqual([1n, 2n]);
  });
});

describe('The cached state of a stream', () => {
  it('the second command on a stream uses the cached state instead of reading the stream', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    store.reads.length = 0;
    await seat('bob');
    expect(store.reads).toEqual([]);
  });

  it('after an append that conflicts, the cached state is refreshed and the command is decided again', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    await store.write(stream, came('eve'));
    const shown: Table[] = [];
    const outcome = await seat('bob', (guests, ...asked) => {
      shown.push(guests);
      return sitDown(guests, ...asked);
    });
    expect(shown).toEqual([['ann'], ['ann', 'eve']]);
    expect(outcome).toMatchObject({ state: ['ann', 'eve', 'bob'], head: { revision: 3 }, events: [came('bob')] });
  });

  it('an outdated cached state never causes a refusal of something that is now allowed', async () => {
    const { store, process } = house();
    const { seat } = process();
    for (const guest of ['ann', 'bob', 'cid']) await seat(guest);
    await store.write(stream, left('bob'));
    expect((await seat('dan')).state).toEqual(['ann', 'cid', 'dan']);
  });

  it('an outdated cached state never allows something that must now be refused', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    await store.write(stream, came('bob'), came('cid'));
    await expect(seat('dan')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await store.lastPosition()).toBe(3n);
  });

  it('an outdated cached state never suppresses an event that has become necessary', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    await store.write(stream, left('ann'));
    expect(await seat('ann')).toMatchObject({ state: ['ann'], events: [came('ann')], head: { revision: 3 } });
  });

  it('an outdated cached state never causes an event to be recorded twice', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    await store.write(stream, came('bob'));
    expect(await seat('bob')).toMatchObject({ state: ['ann', 'bob'], events: [], position: null });
    expect(await store.lastPosition()).toBe(2n);
  });

  it('the cached state is refreshed when a caller requests it', async () => {
    const { store, process } = house();
    const { transactions, seat } = process();
    expect(await transactions.state(stream, table)).toMatchObject({ state: [], head: { revision: 0 } });
    await seat('ann');
    await store.write(stream, came('bob'));
    expect(await transactions.state(stream, table)).toMatchObject({ state: ['ann', 'bob'], head: { revision: 2 } });
  });

  it('the cached state is correct again after an append of unknown outcome', async () => {
    const { store, process } = house();
    const { seat } = process();
    await seat('ann');
    store.afterAppend = () => {
      throw new StoreUnavailableError('The answer was lost.');
    };
    await expect(seat('bob')).rejects.toBeInstanceOf(StoreUnavailableError);
    store.afterAppend = () => undefined;
    expect(await seat('bob')).toMatchObject({ state: ['ann', 'bob'], events: [] });
  });
});

describe('A race between processes on one stream', () => {
  /** Simulates another process that appends first, on each of the first `times` attempts. */
  const rival = (store: MemoryStore, times: number) => {
    let tries = 0;
    store.beforeAppend = async () => {
      if (++tries <= times) await store.write(stream, came(`rival ${tries}`));
    };
    return () => tries;
  };

  it('a command can lose the race nine times and win at the tenth attempt', async () => {
    const { store, process } = house();
    const tries = rival(store, 9);
    const outcome = await process().seat('ann', squeezeIn);
    expect(tries()).toBe(10);
    expect(outcome).toMatchObject({ head: { revision: 10 }, events: [came('ann')] });
    expect(outcome.state).toHaveLength(10);
  });

  it('a command that loses the race ten times fails with a conflict and records nothing', async () => {
    const { store, process, guests } = house();
    const tries = rival(store, Number.POSITIVE_INFINITY);
    const { seat } = process();
    await expect(seat('ann', squeezeIn)).rejects.toMatchObject({ code: 'conflict' });
    expect(tries()).toBe(10);
    expect(await guests()).toEqual(Array.from({ length: 10 }, (_, n) => `rival ${n + 1}`));
    store.beforeAppend = async () => undefined;
    expect((await seat('ann', squeezeIn)).state).toContain('ann');
  });

  it('a command stops retrying as soon as it has nothing more to record', async () => {
    const { store, process } = house();
    store.beforeAppend = async () => void (await store.write(stream, came('ann')));
    expect(await process().seat('ann')).toMatchObject({ state: ['ann'], events: [], position: null });
  });

  it('a command stops retrying as soon as it is refused', async () => {
    const { store, process } = house();
    store.beforeAppend = async () => void (await store.write(stream, came('x'), came('y'), came('z')));
    await expect(process().seat('ann')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await store.lastPosition()).toBe(3n);
  });

  it('every successful command is recorded exactly once, and no failed command is', async () => {
    const { process, guests } = house();
    const processes = Array.from({ length: 4 }, () => process());
    const seated = await Promise.allSettled(
      processes.flatMap(({ seat }, p) => Array.from({ length: 20 }, (_, n) => seat(`guest ${p}-${n}`, squeezeIn))),
    );
    const answered = seated.filter(({ status }) => status === 'fulfilled').length;
    const all = await guests();
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(answered);
    expect(answered).toBeGreaterThan(40);
  });
});

describe('Commands after a restart', () => {
  const guest = (n: number) => `guest ${n}`;
  async function longStory(count = 300) {
    const setting = house();
    const { seat } = setting.process();
    for (let n = 1; n <= count; n++) await seat(guest(n), squeezeIn);
    setting.store.reads.length = 0;
    return setting;
  }

  it('a command on a long stream continues from a snapshot', async () => {
    const { store, process } = await longStory();
    const outcome = await process().seat('ann', squeezeIn);
    expect(outcome.head.revision).toBe(301);
    expect(outcome.state).toEqual([...Array.from({ length: 300 }, (_, n) => guest(n + 1)), 'ann']);
    expect(store.reads).toEqual([{ stream, after: 256 }]);
  });

  it('an outdated snapshot does not affect a command’s decision', async () => {
    const { process } = await longStory();
    expect(await process().seat(guest(299), squeezeIn)).toMatchObject({ events: [], head: { revision: 300 } });
    const full: typeof sitDown = (guests, name) => (guests.length < 300 ? refuse('forbidden') : [came(name)]);
    expect((await process().seat('ann', full)).head.revision).toBe(301);
  });

  it('a snapshot from a different version of the fold is ignored', async () => {
    const { store, process } = await longStory();
    const newer = { ...table, version: 2 };
    const { state } = await process().transactions.state(stream, newer);
    expect(state).toHaveLength(300);
    expect(store.reads[0]).toEqual({ stream, after: 0 });
  });

  it('a short stream has no snapshot', async () => {
    const { store, process } = await longStory(255);
    expect((await process().seat('ann', squeezeIn)).state).toHaveLength(256);
    expect(store.reads).toEqual([{ stream, after: 0 }]);
  });

  it('a command does not fail if its snapshot cannot be written', async () => {
    class Unwritable extends Snapshots {
      override load = async () => null;
      override save = () => Promise.reject(new Error('The disk is full.'));
    }
    const { process } = house(new MemoryStore(), new Unwritable());
    const { seat } = process();
    for (let n = 1; n <= 256; n++) await seat(guest(n), squeezeIn);
    expect((await seat('ann', squeezeIn)).head.revision).toBe(257);
  });
});

describe('A command that starts a new stream', () => {
  const begin = (transactions: Transactions, guest: string) => transactions.begin(stream, table, sitDown, guest, by);

  it('a command that starts a new stream does not read the stream first', async () => {
    const { store, process } = house();
    expect((await begin(process().transactions, 'ann')).state).toEqual(['ann']);
    expect(store.reads).toEqual([]);
  });

  it('a command that should start a new stream uses the current state if the stream already exists', async () => {
    const { process, guests } = house();
    await process().seat('ann');
    expect((await begin(process().transactions, 'bob')).state).toEqual(['ann', 'bob']);
    expect((await begin(process().transactions, 'ann')).events).toEqual([]);
    await process().seat('cid');
    await expect(begin(process().transactions, 'dan')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await guests()).toEqual(['ann', 'bob', 'cid']);
  });
});
