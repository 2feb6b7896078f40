import { describe, expect, it } from '@jest/globals';
import { SharedTurns } from './turns.js';

const nextTurn = () => new Promise(setImmediate);

describe('The connections of one address', () => {
  it('are handled at once, a few in each turn of the event loop', async () => {
    const turns = new SharedTurns();
    const done: number[] = [];
    const taken = Array.from({ length: 10 }, (_, n) => turns.take(() => done.push(n)));
    expect(taken).toEqual([true, true, true, true, false, false, false, false, false, false]);
    expect(done).toEqual([0, 1, 2, 3]);
    await nextTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await nextTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('have a new share in the next turn', async () => {
    const turns = new SharedTurns();
    for (let n = 0; n < 20; n++) {
      expect(turns.take(() => undefined)).toBe(true);
      await nextTurn();
      await nextTurn();
    }
  });

  it('keep their order, also of what comes while others wait', async () => {
    const turns = new SharedTurns();
    const done: string[] = [];
    for (let n = 0; n < 6; n++) turns.take(() => done.push(`a${n}`));
    await nextTurn();
    turns.take(() => done.push('b'));
    for (let n = 0; n < 3; n++) await nextTurn();
    expect(done).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b']);
  });

  it('go on where one of them fails', async () => {
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
