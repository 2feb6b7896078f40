import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../../kernel/refusal.js';

/** A whole number of 15 digits at most: no stream is longer, and a double holds it exactly. */
const revision = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/**
 * The revision after which a client goes on; 0 for the beginning. `Last-Event-ID`, which a browser sends when it comes
 * back, is newer than the `?after=` of the address it was opened with, and goes before it. Refuses with
 * `invalid_request` when what was sent is no revision.
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

/** How many events a page of JSON has: `?limit=`, from 1 to 500; 100 without it. Else refuses with `invalid_request`. */
export function pageSize(query: unknown): number {
  const { limit } = (query ?? {}) as { readonly limit?: unknown };
  if (limit === undefined) return 100;
  const size = typeof limit === 'string' ? revision(limit) : null;
  return size !== null && size >= 1 && size <= 500 ? size : refused('limit', 'is not a number from 1 to 500');
}

const refused = (path: string, message: string) =>
  refuse('invalid_request', `${path}: ${message}.`, [{ path, message }]);
