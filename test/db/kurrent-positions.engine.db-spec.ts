import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStream, type Recorded } from '../../src/kernel/event-store.js';
import { KurrentEngine } from '../../src/storage/store/kurrent/kurrent.engine.js';
import { appended, digest, isChained, noted, notes } from '../contracts/event-store.contract.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';

const recording = { catalogue: notes, isChained, digest };

describe('A position unknown to the event store', () => {
  let server: StandIn;
  let store: KurrentEngine;
  let said: string[];
  let over: AbortController;

  beforeEach(async () => {
    server = await StandIn.start();
    said = [];
    over = new AbortController();
    store = new KurrentEngine({ url: server.url, say: (message) => said.push(message), ...recording });
    await store.start();
  });
  afterEach(async () => {
    over.abort();
    await store.stop();
    server.stop();
  });

  const follow = (position: bigint) => {
    const batches: (readonly Recorded[])[] = [];
    const following = (async () => {
      for await (const batch of store.follow(position, over.signal)) batches.push(batch);
    })();
    return { batches, following };
  };
  const told = async (position: bigint) => {
    while (store.trouble === null) await delay(20);
    expect(store.trouble).toContain(String(position));
    expect(store.trouble).toContain('npm run projections -- rebuild');
    expect(said.filter((line) => line.includes(`position ${position},`))).toHaveLength(1);
  };

  it('a reader that starts at a position from another log waits, and the engine reports how to fix the position', async () => {
    const { head, position } = await appended(store, 'site-one', emptyStream, [noted('a')]);
    await appended(store, 'site-one', head, [noted('b')]);
    const { batches, following } = follow(position + 1n);
    await told(position + 1n);
    expect(batches).toEqual([]);
    over.abort();
    await following;
  }, 30_000);

  it('if the log is truncated while a reader follows it, the engine reports that the reader is beyond the end', async () => {
    await appended(store, 'site-one', emptyStream, [noted('a')]);
    const { position } = await appended(store, 'site-two', emptyStream, [noted('b')]);
    const { batches } = follow(0n);
    while (batches.flat().length < 2) await delay(20);
    expect(store.trouble).toBeNull();
    server.log.cutOff(1);
    server.stop();
    await server.listen();
    await told(position);
  }, 30_000);

  it('an unknown position is no longer reported once the log contains it', async () => {
    await appended(store, 'site-one', emptyStream, [noted('a')]);
    const kept = server.log.all.pop();
    const position = kept?.position ?? 0n;
    const { batches } = follow(position);
    await told(position);
    if (kept) server.log.all.push(kept);
    const { head } = await store.read('site-two');
    await appended(store, 'site-two', head, [noted('b')]);
    while (batches.flat().length < 1) await delay(20);
    while (store.trouble !== null) await delay(100);
  }, 30_000);
});
