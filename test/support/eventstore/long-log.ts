import { hash } from 'node:crypto';
import pg from 'pg';
import { catalogue, isChained } from '../../../src/events/catalogue.js';
import { type SiteEvent, siteStream } from '../../../src/events/site/site.events.js';
import { emptyStream, type Head } from '../../../src/kernel/event-store.js';
import { KurrentEngine } from '../../../src/storage/store/kurrent/kurrent.engine.js';
import { PostgresEngine } from '../../../src/storage/store/postgres/postgres.engine.js';
import { randomHistory } from '../events/random-history.js';

const AT_ONCE = 50;

/** Appends a random history of several sites to a database's log, or to EventStoreDB at `eventStoreUrl`. */
export async function writeLongLog(config: pg.PoolConfig, length: number, eventStoreUrl = ''): Promise<void> {
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  const pool = new pg.Pool({ ...config, max: 4 });
  const store = eventStoreUrl
    ? new KurrentEngine({ url: eventStoreUrl, ...recording })
    : new PostgresEngine({ pool, ...recording });
  await store.start();
  const told = new Map<string, SiteEvent[]>();
  for (const { siteId, event } of randomHistory(1, length)) told.set(siteId, [...(told.get(siteId) ?? []), event]);

  const waiting = [...told];
  const tell = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [siteId, events] = next;
      let head: Head = emptyStream;
      for (let from = 0; from < events.length; from += 200) {
        const numbered = events.slice(from, from + 200).map((event, n) => ({
          ...event,
          id: `evt_${siteId}_${from + n}`,
          at: new Date(Date.UTC(2026, 0, 1) + from + n).toISOString(),
          actor: { kind: 'anonymous' as const },
        }));
        const appended = await store.append(siteStream(siteId), head, numbered);
        if (appended === 'conflict') throw new Error(`Somebody else writes to ${siteId}.`);
        head = appended.head;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tell));
  await store.stop();
  await pool.end();
}
