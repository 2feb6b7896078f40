import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { created } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { PeerProgress } from './peer-progress.js';

describe('Progress of the processes that share a database', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let store: MemoryStore;
  const leaving: AbortController[] = [];

  beforeEach(async () => {
    database = await freshDatabase();
    store = new MemoryStore();
  });
  afterEach(async () => {
    for (const each of leaving.splice(0)) each.abort();
    joined.length = 0;
    await database.drop();
  });

  const joined: PeerProgress[] = [];

  /**
   * Joins the cluster. Writes wait a minute for slow peers by default, so that no test mistakes a timeout for a message
   * from a peer.
   */
  async function joins(patienceMs = 60_000) {
    const leave = new AbortController();
    leaving.push(leave);
    const peerProgress = new PeerProgress(database.config, patienceMs);
    await peerProgress.start(leave.signal);
    joined.push(peerProgress);
    await allKnow(joined.length - 1);
    return { peerProgress, leave };
  }

  async function allKnow(others: number) {
    while (joined.some(({ known }) => known.all !== others)) await delay(10);
  }

  /**
   * Joins the cluster as a process that handles requests. Between `holdBack` and `goOn`, this process sees no new
   * events.
   */
  async function answers() {
    const { peerProgress, leave } = await joins();
    let gate = Promise.withResolvers<void>();
    gate.resolve();
    await peerProgress.follow(store, () => gate.promise, leave.signal);
    while (joined.some((each) => each !== peerProgress && each.known.answering === 0)) await delay(10);
    leave.signal.addEventListener('abort', () => joined.splice(joined.indexOf(peerProgress), 1));
    const holdBack = () => {
      gate = Promise.withResolvers();
    };
    return { leave, holdBack, goOn: () => gate.resolve() };
  }

  const write = async () => {
    await store.write(`site-${Math.random()}`, created);
    return store.lastPosition();
  };

  const SOON_MS = 20_000;

  const isBefore = async (promise: Promise<unknown>, milliseconds: number) =>
    Promise.race([promise.then(() => true), delay(milliseconds, false)]);

  it('a write completes once every process that handles requests has read it', async () => {
    const { peerProgress: writer } = await joins();
    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), SOON_MS)).toBe(true);

    reader.holdBack();
    const known = writer.reached(await write());
    expect(await isBefore(known, 100)).toBe(false);
    reader.goOn();
    expect(await isBefore(known, SOON_MS)).toBe(true);
  });

  it('a write does not wait for workers, for processes that have left, or for its own process', async () => {
    const { peerProgress: writer } = await joins();
    await joins();
    expect(await isBefore(writer.reached(await write()), SOON_MS)).toBe(true);

    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), SOON_MS)).toBe(true);
    reader.leave.abort();
    await allKnow(1);
    expect(await isBefore(writer.reached(await write()), SOON_MS)).toBe(true);
  });

  it('a write waits for other processes even if their database connections were lost', async () => {
    const { peerProgress: writer } = await joins();
    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), SOON_MS)).toBe(true);

    reader.holdBack();
    const position = await write();
    const client = new Client(database.config);
    await client.connect();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stele neighbours' and datname = current_database()",
    );
    await client.end();
    await delay(50);
    const known = writer.reached(position);
    expect(await isBefore(known, 300)).toBe(false);
    reader.goOn();
    expect(await isBefore(known, SOON_MS)).toBe(true);
  });

  it('a write waits one second for a process that hangs, and later writes do not wait for it', async () => {
    const { peerProgress: writer } = await joins(1_000);
    const reader = await answers();
    reader.holdBack();
    const began = performance.now();
    await writer.reached(await write());
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    const position = await write();
    expect(await Promise.race([writer.reached(position).then(() => 'at once'), nextTurn('waits')])).toBe('at once');
    reader.goOn();
  });
});
