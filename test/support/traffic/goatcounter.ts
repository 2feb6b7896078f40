import type { KnownRequest } from './known-log.js';
import { add } from './known-log.js';

const SESSION_MS = 8 * 3_600_000;

/**
 * Returns how many views GoatCounter 2 would count for each path, according to its documentation ("Sessions"). It
 * ignores robots and counts each path once per session. A session is one user agent at one address, and ends after
 * eight hours without a request. It does not end at midnight, and opt-outs are not supported.
 */
export function countedAsGoatCounter(requests: readonly KnownRequest[]): ReadonlyMap<string, number> {
  const sessions = new Map<string, { last: number; readonly paths: Set<string> }>();
  const counts = new Map<string, number>();
  for (const { person, entry } of requests) {
    if (entry.client !== 'person' || !entry.isPage) continue;
    const known = sessions.get(person);
    const session = known && entry.at - known.last < SESSION_MS ? known : { last: entry.at, paths: new Set<string>() };
    sessions.set(person, session);
    session.last = entry.at;
    if (session.paths.has(entry.path)) continue;
    session.paths.add(entry.path);
    add(counts, entry.path);
  }
  return counts;
}
