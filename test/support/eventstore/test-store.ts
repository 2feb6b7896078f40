import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import type { WholeLog } from '../../../src/storage/store/whole-log.js';
import type { StandIn } from './kurrent/stand-in.js';
import { withOwnStreams } from './own-streams.js';

/** URL of each process's event store, by the process's database or data folder. */
const urls = new Map<string, Promise<string>>();
const standIns = new Map<string, StandIn>();
const logs = new Map<string, Promise<WholeLog>>();

afterAll(async () => {
  for (const log of logs.values()) await (await log).close();
  for (const standIn of standIns.values()) standIn.stop();
  for (const kept of [logs, standIns, urls]) kept.clear();
});

/**
 * With STELE_TEST_STORE=esdb, every process that a test starts stores its events in EventStoreDB. Processes with the
 * same database or data folder share a log, even after a restart.
 */
export async function testStore(env: Record<string, string>): Promise<Record<string, string>> {
  if (process.env.STELE_TEST_STORE !== 'esdb' || 'EVENTSTORE_URL' in env) return {};
  const place = env.DATABASE_URL || env.STELE_DATA || '';
  const url = urls.get(place) ?? newUrl();
  urls.set(place, url);
  return { EVENTSTORE_URL: await url };
}

/**
 * Returns the address of a new fake server, or EVENTSTORE_URL with a new stream prefix. Imports the fake server only
 * when it is needed, to save time.
 */
async function newUrl(): Promise<string> {
  const real = process.env.EVENTSTORE_URL;
  if (real) return withOwnStreams(real);
  const { StandIn } = await import('./kurrent/stand-in.js');
  const standIn = await StandIn.start();
  standIns.set(standIn.url, standIn);
  return standIn.url;
}

export const standInAt = (url: string): StandIn | undefined => standIns.get(url);

/** An event as stored in the log. Actor and data are canonical JSON. */
export type InLog = Readonly<Record<'stream' | 'type' | 'at' | 'actor' | 'data', string>> & {
  /** Position in its stream, counted from 1. */
  readonly revision: number;
};

/** Returns all events at an EventStoreDB address, oldest first, except truncated ones. */
export async function logAt(url: string): Promise<InLog[]> {
  const standIn = standIns.get(url);
  if (standIn) {
    // Lets the fake server run, because it is in the same process as the test that polls.
    await setImmediate();
    return inMemory(standIn);
  }
  const log = logs.get(url) ?? openedAt(url);
  logs.set(url, log);
  const lists = await Array.fromAsync((await log).after(0n, new AbortController().signal));
  return lists
    .flat()
    .map(({ stream, revision, type, at, actor, data }) => ({ stream, revision, type, at, actor, data }));
}

/**
 * Reads the fake server's memory, because tests poll often. Leaves out the records of truncation, which have no
 * metadata.
 */
const inMemory = ({ log }: StandIn): InLog[] =>
  log
    .ours()
    .filter(({ stream, revision, metadata }) => metadata.length > 0 && revision >= log.shownFrom(stream))
    .map(({ stream, revision, type, data, metadata }) => {
      const { at, actor } = JSON.parse(Buffer.from(metadata).toString());
      return { stream, revision: revision + 1, type, at, actor, data: Buffer.from(data).toString() };
    });

async function openedAt(url: string): Promise<WholeLog> {
  const { KurrentLog } = await import('../../../src/storage/store/kurrent/kurrent.log.js');
  return new KurrentLog(url, (text) => hash('sha256', text));
}
