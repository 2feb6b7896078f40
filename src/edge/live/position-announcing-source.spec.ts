import { beforeEach, describe, expect, it } from '@jest/globals';
import { deployed } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { PositionAnnouncingSource } from './position-announcing-source.js';

describe('An event source that announces positions', () => {
  let store: MemoryStore;
  let told: bigint[];
  let source: PositionAnnouncingSource;
  beforeEach(async () => {
    store = new MemoryStore();
    told = [];
    source = new PositionAnnouncingSource(store, (position) => told.push(position));
    await store.write('site-a', deployed(1), deployed(2));
    await store.write('site-b', deployed(1));
    await store.write('site-a', deployed(3));
  });

  it('announces the position of the last event of a page, and nothing for an empty page', async () => {
    expect((await source.page('site-a', 0, 2)).map(({ revision }) => revision)).toEqual([1, 2]);
    expect((await source.page('site-a', 3, 2)).length).toBe(0);
    expect(told).toEqual([2n]);
  });

  it('announces the position of the last event in each watched batch', async () => {
    const stop = new AbortController();
    const watched: bigint[] = [];
    for await (const events of source.watch('site-a', 0, stop.signal)) {
      watched.push(...events.map(({ position }) => position));
      expect(told.at(-1)).toBe(watched.at(-1));
      if (watched.at(-1) === 4n) stop.abort();
    }
    expect(watched).toEqual([1n, 2n, 4n]);
  });
});
