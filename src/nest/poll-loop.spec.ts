import { expect, it } from '@jest/globals';
import { pollLoop } from './poll-loop.js';

const HOUR_MS = 3_600_000;

it('A poll loop soon retries failed work, however long its usual pause is', async () => {
  const stopping = new AbortController();
  const began = performance.now();
  let tries = 0;
  await pollLoop({ name: 'fail_once', everyMs: HOUR_MS, signal: stopping.signal }, async () => {
    tries += 1;
    if (tries === 1) throw new Error('The database is away.');
    stopping.abort();
    return false;
  });
  expect(tries).toBe(2);
  expect(performance.now() - began).toBeGreaterThan(900);
});

it('A poll loop with a short pause retries failed work at its usual pace', async () => {
  const stopping = new AbortController();
  let tries = 0;
  await pollLoop({ name: 'fail_often', everyMs: 1, signal: stopping.signal }, async () => {
    tries += 1;
    if (tries === 20) stopping.abort();
    throw new Error('The database is away.');
  });
  expect(tries).toBe(20);
});
