import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemorySnapshots, MemoryStore } from '../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../adapters/random-ids.js';
import { RunForgotten, RunLogged, RunStarted, runStream } from '../events/run.events.js';
import { run } from '../modules/runs/run.state.js';
import { forgetStream } from './forget-stream.js';
import { Transactions } from './transactions.js';

const stream = runStream('run_1');
const report = { data: '{}', jobId: null };
const later = '2100-01-01T00:00:00.000Z';

describe('Forgetting a stream', () => {
  let store: MemoryStore;
  let transactions: Transactions;
  const forget = (before = later) =>
    forgetStream(store, transactions, { stream, fold: run, tombstone: RunForgotten({}), before });
  const types = async () => (await store.read(stream)).events.map(({ type, revision }) => [revision, type]);

  beforeEach(() => {
    store = new MemoryStore();
    transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  });

  it('leaves only a tombstone in the stream', async () => {
    await store.write(stream, RunStarted(report), RunLogged(report), RunLogged(report));
    expect(await forget()).toBe(true);
    expect(await types()).toEqual([[4, 'RunForgotten']]);
  });

  it('leaves only one tombstone, even if it is repeated', async () => {
    await store.write(stream, RunStarted(report));
    await forget();
    expect(await forget()).toBe(true);
    expect(await types()).toEqual([[2, 'RunForgotten']]);
  });

  it('completes after a crash that left only the last event', async () => {
    await store.write(stream, RunStarted(report), RunLogged(report));
    await store.truncate(stream, 1);
    expect(await forget()).toBe(true);
    expect(await types()).toEqual([[3, 'RunForgotten']]);
  });

  it('does nothing if the last event is too recent', async () => {
    await store.write(stream, RunStarted(report));
    expect(await forget('2000-01-01T00:00:00.000Z')).toBe(false);
    expect(await types()).toEqual([[1, 'RunStarted']]);
  });

  it('does nothing if the stream is empty', async () => {
    expect(await forget()).toBe(true);
    expect(await types()).toEqual([]);
  });
});
