import type { Pool } from 'pg';
import { SiteLog } from '../../../src/modules/traffic/api/site-log.js';
import type { AccessEntry } from '../../../src/modules/traffic/record/tables/access-entry.js';
import { AccessPartitions, computeDayNumber } from '../../../src/modules/traffic/record/tables/access-partitions.js';

/** Returns a pageview at noon, with the given members replaced. */
export const entryOf = (more: Partial<AccessEntry> = {}): AccessEntry => ({
  siteId: 'site_1',
  at: Date.parse('2026-11-10T12:00:00Z'),
  hits: 1,
  method: 'GET',
  path: '/',
  status: 200,
  bytes: 100,
  ms: 1,
  referrer: null,
  client: 'person',
  isPage: true,
  counted: true,
  visitor: 1n,
  browser: null,
  system: null,
  device: null,
  country: null,
  ...more,
});

const INSERT = `
insert into access_entries
  (site_id, at, hits, method, path, status, bytes, ms, referrer, client, is_page, counted, visitor, browser, system, device, country)
select "siteId", to_timestamp(at / 1000), hits, method, path, status, bytes, ms, referrer, client, "isPage", counted, visitor,
  browser, system, device, country
from json_to_recordset($1::json) as given
  ("siteId" text, at float8, hits integer, method text, path text, status smallint, bytes bigint, ms real, referrer text,
   client text, "isPage" boolean, counted boolean, visitor bigint, browser text, system text, device text, country text, number integer)
order by number`;

const AT_ONCE = 10_000;

/** Writes entries in the given order, with the same locks as the processes that serve sites. */
export async function writeEntries(pool: Pool, entries: readonly AccessEntry[]): Promise<void> {
  await new AccessPartitions(pool).make(new Set(entries.map(({ at }) => computeDayNumber(at))));
  const log = new SiteLog(pool);
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE).map((entry, number) => ({ ...entry, number }));
    const text = JSON.stringify(some, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    await log.add((client) => client.query(INSERT, [text]));
  }
}
