import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SharedTurns } from './turns.js';

const nextTurn = () => new Promise(setImmediate);

let milliseconds: number;

beforeEach(() => {
  milliseconds = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => milliseconds);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const lasting = (ms: number, note: () => void) => () => {
  milliseconds += ms;
  note();
};

describe('Connections from one address share each turn of the event loop', () => {
  it('connections are handled immediately until their address has used up its share of the turn', async () => {
    const turns = new SharedTurns();
    const done: number[] = [];
    const taken = [0, 1, 2, 3, 4, 5, 6].map((n) => turns.take(lasting(0.4, () => done.push(n))));
    expect(taken).toEqual([true, true, true, false, false, false, false]);
    await nextTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
    await nextTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('if each connection takes a long time to handle, only one connection is handled per turn', async () => {
    const turns = new SharedTurns();
    const done: number[] = [];
    for (const n of [0, 1, 2]) turns.take(lasting(40, () => done.push(n)));
    expect(done).toEqual([0]);
    await nextTurn();
    expect(done).toEqual([0, 1]);
    await nextTurn();
    expect(done).toEqual([0, 1, 2]);
  });

  it('an address gets a new share in the next turn', async () => {
    const turns = new SharedTurns();
    for (let n = 0; n < 20; n++) {
      expect(turns.take(lasting(40, () => undefined))).toBe(true);
      await nextTurn();
      await nextTurn();
    }
  });

  it('connections are handled in order, even if more arrive while others are waiting', async () => {
    const turns = new SharedTurns();
    const done: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.take(lasting(40, () => done.push(name)));
    await nextTurn();
    turns.take(lasting(0, () => done.push('d')));
    for (let n = 0; n < 3; n++) await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('connections continue to be handled after one of them fails', async () => {
    const turns = new SharedTurns();
    const done: number[] = [];
    expect(() =>
      turns.take(() => {
        throw new Error('of this one alone');
      }),
    ).toThrow('of this one alone');
    turns.take(() => done.push(1));
    expect(done).toEqual([1]);
  });
});
