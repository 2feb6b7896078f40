import { afterAll } from '@jest/globals';
import { StandIn } from './kurrent/stand-in.js';

const standIns = new Map<string, Promise<StandIn>>();

afterAll(async () => {
  for (const standIn of standIns.values()) (await standIn).stop();
  standIns.clear();
});

/**
 * With STELE_TEST_STORE=esdb every process that a test starts keeps its events in a stand-in of EventStoreDB: the same
 * one for all that share a database or a data folder, also when they start again.
 */
export async function testStore(env: Record<string, string>): Promise<Record<string, string>> {
  if (process.env.STELE_TEST_STORE !== 'esdb' || 'EVENTSTORE_URL' in env) return {};
  return { EVENTSTORE_URL: (await standInOf(env.DATABASE_URL || env.STELE_DATA || ''))?.url ?? '' };
}

/** The stand-in that a folder’s or a database’s events are in. */
export function standInOf(place: string): Promise<StandIn> {
  const standIn = standIns.get(place) ?? StandIn.start();
  standIns.set(place, standIn);
  return standIn;
}

/** An event as it stands in the log; actor and data are canonical JSON. */
export type InLog = Readonly<Record<'stream' | 'type' | 'at' | 'actor' | 'data', string>>;

export const inLog = ({ log }: StandIn): InLog[] =>
  log.ours().map(({ stream, type, data, metadata }) => {
    const { at, actor } = JSON.parse(Buffer.from(metadata).toString());
    return { stream, type, at, actor, data: Buffer.from(data).toString() };
  });
