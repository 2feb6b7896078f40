import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { created } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { PeerProgress } from './peer-progress.js';

describe('Processes on one database', () => {
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

  async function joins() {
    const leave = new AbortController();
    leaving.push(leave);
    const peerProgress = new PeerProgress(database.config);
    await peerProgress.start(leave.signal);
    joined.push(peerProgress);
    await allKnow(joined.length - 1);
    return { peerProgress, leave };
  }

  /** Resolves when every process that has joined knows this many others. */
  async function allKnow(others: number) {
    while (joined.some(({ known }) => known.all !== others)) await delay(10);
  }

  /** Joins a process that handles requests, and that can be held back from following the log. */
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

  /** Reports whether the promise resolves within this time. */
  const isBefore = async (promise: Promise<unknown>, milliseconds: number) =>
    Promise.race([promise.then(() => true), delay(milliseconds, false)]);

  it('respond to a write once all that handle requests know about it', async () => {
    const { peerProgress: writer } = await joins();
    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), 900)).toBe(true);

    reader.holdBack();
    const known = writer.reached(await write());
    expect(await isBefore(known, 100)).toBe(false);
    reader.goOn();
    expect(await isBefore(known, 700)).toBe(true);
  });

  it('do not wait if they are alone, or for peers that handle no requests or have left', async () => {
    const { peerProgress: writer } = await joins();
    await joins();
    expect(await isBefore(writer.reached(await write()), 100)).toBe(true);

    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), 900)).toBe(true);
    reader.leave.abort();
    await allKnow(1);
    expect(await isBefore(writer.reached(await write()), 300)).toBe(true);
  });

  it('wait for each other after all connections were lost, before any peer is heard again', async () => {
    const { peerProgress: writer } = await joins();
    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), 900)).toBe(true);

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
    expect(await isBefore(known, 700)).toBe(true);
  });

  it('wait a second for a hanging peer, and then ignore it until it is heard again', async () => {
    const { peerProgress: writer } = await joins();
    const reader = await answers();
    expect(await isBefore(writer.reached(await write()), 900)).toBe(true);
    reader.holdBack();
    expect(await isBefore(writer.reached(await write()), 600)).toBe(false);
    await delay(600);
    expect(await isBefore(writer.reached(await write()), 300)).toBe(true);
    reader.goOn();
  });
});
