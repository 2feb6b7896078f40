import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { deployed } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import { StreamHistory } from './stream-history.js';

/** A store with three events. It can be made unavailable, and counts simultaneous page reads. */
class Store extends MemoryStore {
  isAway = false;
  failure: Error = new StoreUnavailableError('away');
  pages = 0;
  atOnce = 0;
  mostAtOnce = 0;

  override async page(stream: string, revision: number, limit: number) {
    this.pages++;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    await new Promise(setImmediate);
    this.atOnce--;
    if (this.isAway) throw this.failure;
    return super.page(stream, revision, limit);
  }
}

const wanted = () => true;

describe("A stream's history", () => {
  let store: Store;
  let history: StreamHistory;
  beforeEach(async () => {
    store = new Store();
    history = new StreamHistory(store);
    await store.write('site-a', deployed(1), deployed(2), deployed(3));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('a stream is read in pages, and its latest revision can be read separately', async () => {
    const page = await history.page('site-a', 1, 1, wanted);
    expect(page.map(({ revision }) => revision)).toEqual([2]);
    expect(await history.head('site-a', wanted)).toMatchObject({ revision: 3 });
  });

  it('a stream is read for at most eight callers at a time, while further callers wait', async () => {
    const pages = await Promise.all(Array.from({ length: 30 }, () => history.page('site-a', 0, 9, wanted)));
    expect(pages.map(({ length }) => length)).toEqual(pages.map(() => 3));
    expect(store.mostAtOnce).toBe(8);
  });

  it('a stream is not read for a client that has left, even if the client was already waiting', async () => {
    let isWanted = true;
    const reads = Array.from({ length: 8 }, () => history.page('site-a', 0, 9, wanted));
    const late = history.page('site-a', 0, 9, () => isWanted);
    isWanted = false;
    expect(await late).toEqual([]);
    await Promise.all(reads);
    expect(store.pages).toBe(8);
    expect(await history.head('site-a', () => false)).toBeUndefined();
  });

  it('a read is retried until the store is available', async () => {
    store.isAway = true;
    const page = history.page('site-a', 0, 9, wanted);
    while (store.pages < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    store.isAway = false;
    expect(await page).toHaveLength(3);
  });

  it('a read is retried after any other error, and the error is logged', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    store.isAway = true;
    store.failure = new Error('broken');
    const page = history.page('site-a', 0, 9, wanted);
    while (logged.mock.calls.length === 0) await new Promise(setImmediate);
    store.isAway = false;
    expect(await page).toHaveLength(3);
    expect(logged).toHaveBeenCalledWith(expect.any(String), store.failure);
  });
});
