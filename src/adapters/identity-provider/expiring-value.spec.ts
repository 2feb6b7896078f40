import { describe, expect, it } from '@jest/globals';
import { ExpiringValue } from './expiring-value.js';

describe('What is found out and kept for a while', () => {
  let now = 0;
  const finds: PromiseWithResolvers<object>[] = [];
  const find = () => {
    const next = Promise.withResolvers<object>();
    finds.push(next);
    return next.promise;
  };
  const renewed = new ExpiringValue(find, 1_000, () => now);

  it('is not found out before anybody asks, and once for all who ask at once', async () => {
    expect(finds).toHaveLength(0);
    const asking = [renewed.get(), renewed.get(), renewed.get()];
    expect(finds).toHaveLength(1);
    const first = { first: true };
    finds[0]?.resolve(first);
    expect(await Promise.all(asking)).toEqual([first, first, first]);
    now = 999;
    expect(await renewed.get()).toBe(first);
  });

  it('is found out again when its time is over, and again when that failed', async () => {
    now = 1_000;
    const failing = renewed.get();
    finds[1]?.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    const asking = renewed.get();
    const second = { second: true };
    finds[2]?.resolve(second);
    expect(await asking).toBe(second);
    expect(finds).toHaveLength(3);
  });
});
