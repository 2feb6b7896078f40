import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../kernel/refusal.js';

/** A whole number that the store can be asked for; anything larger no stream reaches. */
const revision = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/**
 * The revision after which a client wants to go on; 0 for the beginning. What the browser sends when it comes back
 * (`Last-Event-ID`) is newer than the address it was opened with (`?after=`). Refuses what is neither.
 */
export function resumePoint(headers: IncomingHttpHeaders, query: unknown): number {
  const last = headers['last-event-id'];
  if (typeof last === 'string' && last !== '') {
    return revision(last) ?? refused('last-event-id', 'is not the id of an event of this stream');
  }
  const { after } = (query ?? {}) as { readonly after?: unknown };
  if (after === undefined || after === '') return 0;
  return (typeof after === 'string' ? revision(after) : null) ?? refused('after', 'is not a revision: digits');
}

/** How many events a page of JSON has: from 1 to 500, 100 without a word. */
export function pageSize(query: unknown): number {
  const { limit } = (query ?? {}) as { readonly limit?: unknown };
  if (limit === undefined) return 100;
  const size = typeof limit === 'string' ? revision(limit) : null;
  return size !== null && size >= 1 && size <= 500 ? size : refused('limit', 'is not a number from 1 to 500');
}

const refused = (path: string, message: string) =>
  refuse('invalid_request', `${path}: ${message}.`, [{ path, message }]);
