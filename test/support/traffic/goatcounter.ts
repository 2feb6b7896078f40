import type { KnownRequest } from './known-log.js';
import { add } from './known-log.js';

const SESSION_MS = 8 * 3_600_000;

/**
 * Returns what GoatCounter 2 counts for the same requests, according to its documentation ("Sessions"). It ignores
 * robots. A session is one user agent at one address, and ends after eight hours without a request. Each path counts
 * once per session. The counts are by path and by the hour of the first view. GoatCounter has neither days nor
 * opt-outs.
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
