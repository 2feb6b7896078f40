import { describe, expect, it } from '@jest/globals';
import { ExpiringValue } from './expiring-value.js';

describe('A value that expires', () => {
  let now = 0;
  const finds: PromiseWithResolvers<object>[] = [];
  const find = () => {
    const next = Promise.withResolvers<object>();
    finds.push(next);
    return next.promise;
  };
  const value = new ExpiringValue(find, 1_000, () => now);

  it('concurrent callers share the first request', async () => {
    expect(finds).toHaveLength(0);
    const asking = [value.get(), value.get(), value.get()];
    expect(finds).toHaveLength(1);
    const first = { first: true };
    finds[0]?.resolve(first);
    expect(await Promise.all(asking)).toEqual([first, first, first]);
    now = 999;
    expect(await value.get()).toBe(first);
  });

  it('the value is requested again after it expires and after a failure', async () => {
    now = 1_000;
    const failing = value.get();
    finds[1]?.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    const asking = value.get();
    const second = { second: true };
    finds[2]?.resolve(second);
    expect(await asking).toBe(second);
    expect(finds).toHaveLength(3);
  });
});
