import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { backgroundFailures } from '../../kernel/faults/background-task.js';
import { cleanRegularly } from './clean-regularly.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('cleanRegularly continues until its signal aborts, and counts failures', async () => {
  const stopping = new AbortController();
  let times = 0;
  cleanRegularly({ name: 'clean_up', everyMs: 60_000, signal: stopping.signal }, async () => {
    times++;
    if (times === 2) throw new Error('the database is away');
  });
  expect(times).toBe(0);
  await jest.advanceTimersByTimeAsync(180_000);
  expect(times).toBe(3);
  expect(backgroundFailures().get('clean_up')).toBe(1);
  stopping.abort();
  await jest.advanceTimersByTimeAsync(180_000);
  expect(times).toBe(3);
});
