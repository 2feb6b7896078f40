import { expect, it } from '@jest/globals';
import { Spared } from './spared.js';

it('accepts the first requests of each site, up to a total limit, and counts all other requests', () => {
  const spared = new Spared();
  const taken = (siteId: string, times: number) =>
    Array.from({ length: times }, () => spared.take(siteId)).filter((isTaken) => isTaken).length;
  expect([taken('flooded', 1_000), taken('quiet', 1)]).toEqual([2, 1]);
  const others = Array.from({ length: 1_000 }, (_, n) => taken(`site_${n}`, 1)).reduce((sum, each) => sum + each, 0);
  expect(others).toBe(47);
  const counted = new Map(spared.turn());
  expect([counted.get('flooded'), counted.get('quiet'), counted.get('site_999')]).toEqual([998, undefined, 1]);
  expect(counted.size).toBe(1 + 1_000 - 47);
  expect([taken('quiet', 1), spared.turn()]).toEqual([1, []]);
});
