import { describe, expect, it } from '@jest/globals';
import { inTurns } from './in-turns.js';

function workFor(milliseconds: number) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('Processing a long list', () => {
  it('all items of a list are returned in order', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => index);
    expect(await Array.fromAsync(inTurns(items))).toEqual(items);
    expect(await Array.fromAsync(inTurns([]))).toEqual([]);
  });

  it('other work can run while a long list is processed', async () => {
    const turns: number[] = [];
    let item = 0;
    const others = setInterval(() => turns.push(item), 0);
    for await (const next of inTurns(Array.from({ length: 40 }, (_, index) => index))) {
      item = next;
      workFor(2);
    }
    clearInterval(others);
    expect(new Set(turns).size).toBeGreaterThan(3);
  });
});
