import type { AccessEntry } from '../../../src/modules/traffic/record/tables/access-entry.js';
import type { TrafficDimension } from '../../../src/modules/traffic/roll-up/tables/traffic-figures.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAUSE_MS = 30 * 60_000;

type Counted = { hits: number; pageviews: number; visits: number; bytes: number; visitors: Set<bigint> };

/**
 * Expected totals, counted by plain loops over all entries. A key consists of site, start of the hour or day, dimension
 * and value.
 */
export type Figures = ReadonlyMap<string, Counted>;

export const keyOf = (siteId: string, at: number, dimension: TrafficDimension | 'total', value: string) =>
  [siteId, new Date(at).toISOString(), dimension, value].join(' ');

/** Returns the traffic of each site by hour or day. The entries must be ordered by ID. */
export function countedByHand(entries: readonly AccessEntry[], by: 'hour' | 'day'): Figures {
  const spanMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const figures = new Map<string, Counted>();
  const startOf = (at: number) => Math.floor(at / spanMs) * spanMs;
  const of = (entry: AccessEntry, dimension: TrafficDimension | 'total', value: string) => {
    const key = keyOf(entry.siteId, startOf(entry.at), dimension, value);
    const found = figures.get(key) ?? { hits: 0, pageviews: 0, visits: 0, bytes: 0, visitors: new Set<bigint>() };
    figures.set(key, found);
    return found;
  };
  const add = (counted: Counted, { hits, bytes }: AccessEntry, pageviews = 0) => {
    counted.hits += hits;
    counted.bytes += bytes;
    counted.pageviews += pageviews;
  };

  const relevant = entries.filter(({ counted, client }) => counted && client !== 'probe');
  for (const entry of relevant) {
    const { client, isPage, path, status, hits } = entry;
    const isView = client === 'person' && isPage;
    add(of(entry, 'total', ''), entry, isView ? hits : 0);
    add(of(entry, 'status', String(status)), entry);
    add(of(entry, 'client', client), entry);
    if (status === 404 && client === 'person') add(of(entry, 'missing', path), entry);
    if (!isView) continue;
    add(of(entry, 'page', path), entry, hits);
    for (const [dimension, value] of named(entry)) add(of(entry, dimension, value), entry, hits);
  }

  const views = relevant.filter(({ client, isPage, visitor }) => client === 'person' && isPage && visitor !== null);
  const byVisitor = Map.groupBy(views, ({ siteId, at, visitor }) => `${siteId} ${Math.floor(at / DAY_MS)} ${visitor}`);
  for (const ofVisitor of byVisitor.values()) {
    let last = Number.NEGATIVE_INFINITY;
    const seen = new Set<string>();
    for (const entry of ofVisitor.toSorted((one, other) => one.at - other.at)) {
      const { at, path, visitor } = entry;
      const [total, page] = [of(entry, 'total', ''), of(entry, 'page', path)];
      if (at - last > PAUSE_MS) {
        seen.clear();
        total.visits += 1;
        const first = of(entry, 'entry', path);
        first.visits += 1;
        first.hits += 1;
        for (const [dimension, value] of named(entry)) of(entry, dimension, value).visits += 1;
      }
      if (!seen.has(path)) page.visits += 1;
      seen.add(path);
      last = at;
      if (visitor === null) continue;
      total.visitors.add(visitor);
      page.visitors.add(visitor);
    }
  }
  return figures;
}

function named(entry: AccessEntry): [TrafficDimension, string][] {
  const { referrer, browser, system, device, country } = entry;
  return Object.entries({ referrer, browser, system, device, country }).flatMap(([dimension, value]) =>
    value === null ? [] : [[dimension as TrafficDimension, value]],
  );
}
