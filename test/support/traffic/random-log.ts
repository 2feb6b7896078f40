import type { AccessEntry } from '../../../src/modules/traffic/record/tables/access-entry.js';
import { seeded } from '../events/random-history.js';
import { entryOf } from './entries.js';

const MINUTE_MS = 60_000;
const clients = ['person', 'person', 'person', 'person', 'robot', 'prefetch', 'probe'] as const;
const statuses = [200, 200, 200, 304, 404, 301, 500];

/** Returns requests of a few visitors to a few sites in two and a half days, mostly in chronological order. */
export function randomLog(seed: number, length: number): AccessEntry[] {
  const random = seeded(seed);
  const oneOf = <Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value => {
    const value = values[random(values.length)];
    if (value === undefined) throw new Error('There is nothing to choose from.');
    return value;
  };
  const begin = Date.parse('2026-11-10T00:00:00Z');
  const stepMs = Math.floor((60 * 60 * MINUTE_MS) / length);
  return Array.from({ length }, (_, n) => {
    const lateMs = random(10) === 0 ? random(600) * MINUTE_MS : 0;
    const at = Math.max(begin, begin + n * stepMs + random(stepMs) - lateMs);
    const client = oneOf(clients);
    const status = oneOf(statuses);
    const visitor = random(6) === 0 ? null : BigInt(random(5)) - 2n;
    return entryOf({
      siteId: `site_${random(3)}`,
      at,
      hits: random(8) === 0 ? 1 + random(5) : 1,
      path: oneOf(['/', '/a', '/b', '/ünï', '/%0a']),
      status,
      bytes: random(5_000),
      client,
      isPage: (status === 200 || status === 304) && random(4) > 0,
      counted: random(12) > 0,
      visitor,
      referrer: oneOf([null, null, 'search.example', 'news.example']),
      browser: oneOf([null, 'Firefox', 'Chrome']),
      system: oneOf([null, 'Linux', 'iOS']),
      device: oneOf(['desktop', 'mobile']),
      country: oneOf([null, 'NO', 'PT']),
    });
  });
}
