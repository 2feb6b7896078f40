import { describe, expect, it } from '@jest/globals';
import { DailyAllowance } from './daily-allowance.js';

/** Simulates the database, which contains the total that all processes have used. */
function store() {
  let used = 0;
  let asked = 0;
  return {
    used: () => used,
    asked: () => asked,
    take: async (_counter: string, _share: string, amount: number, most: number) => {
      asked += 1;
      if (used + amount > most) return false;
      used += amount;
      return true;
    },
  };
}

describe('A daily allowance', () => {
  it('an allowance can be spent exactly up to its limit', async () => {
    const allowance = new DailyAllowance(store(), 'deploy bytes', 1_000);
    expect(await allowance.spend('ann', 600)).toBe(true);
    expect(await allowance.spend('ann', 401)).toBe(false);
    expect(await allowance.spend('ann', 400)).toBe(true);
    expect(await allowance.spend('ann', 1)).toBe(false);
  });

  it('an allowance is taken from the database in parts, so that most spending needs no query', async () => {
    const all = store();
    const allowance = new DailyAllowance(all, 'deploy bytes', 64_000);
    for (let n = 0; n < 100; n++) await allowance.spend('ann', 10);
    expect(all.asked()).toBe(1);
    expect(all.used()).toBe(allowance.part);
  });

  it('an allowance is shared by all processes', async () => {
    const all = store();
    const processes = [1, 2, 3].map(() => new DailyAllowance(all, 'deploy bytes', 6_400));
    const spent = async () => {
      const done = await Promise.all(processes.map((each) => each.spend('ann', 50)));
      return done.filter(Boolean).length * 50;
    };
    let sum = 0;
    for (let n = 0; n < 100; n++) sum += await spent();
    expect(sum).toBeLessThanOrEqual(6_400);
    expect(sum).toBeGreaterThan(6_000);
  });

  it('simultaneous calls neither lose amounts nor count them twice', async () => {
    const allowance = new DailyAllowance(store(), 'deploy bytes', 6_400);
    const done = await Promise.all(Array.from({ length: 200 }, () => allowance.spend('ann', 64)));
    const spent = done.filter(Boolean).length * 64;
    expect(spent).toBeLessThanOrEqual(6_400);
    let rest = 0;
    while (await allowance.spend('ann', 1)) rest += 1;
    expect(spent + rest).toBe(6_400);
  });

  it('the unused amount of an allowance is kept if the database fails', async () => {
    const all = store();
    let isAway = false;
    const take: typeof all.take = (...given) => (isAway ? Promise.reject(new Error('away')) : all.take(...given));
    const allowance = new DailyAllowance({ take }, 'deploy bytes', 64_000);
    await allowance.spend('ann', 1);
    isAway = true;
    await expect(allowance.spend('ann', 5_000)).rejects.toThrow('away');
    expect(await allowance.spend('ann', 999)).toBe(true);
  });
});
