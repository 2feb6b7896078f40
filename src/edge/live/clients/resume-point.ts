import type { IncomingHttpHeaders } from 'node:http';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';

/** Reads a whole number of up to 15 digits, which a double represents exactly and no stream exceeds. */
const revision = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/**
 * Returns the revision after which a client resumes, or 0. `Last-Event-ID`, which a browser sends when it reconnects,
 * is newer than `?after=` and takes precedence. Refuses with `invalid_request` if the value is not a revision.
 */
export function resumePoint(headers: IncomingHttpHeaders, query: unknown): number {
  const last = headers['last-event-id'];
  if (typeof last === 'string' && last !== '') {
    return revision(last) ?? refused('last-event-id', 'must be the ID of an event of this stream');
  }
  const { after } = (query ?? {}) as { readonly after?: unknown };
  if (after === undefined || after === '') return 0;
  return (typeof after === 'string' ? revision(after) : null) ?? refused('after', 'must be a revision (digits only)');
}

/** Returns `?limit=`, from 1 to 500 (100 by default). Refuses any other value with `invalid_request`. */
export function pageSize(query: unknown): number {
  const { limit } = (query ?? {}) as { readonly limit?: unknown };
  if (limit === undefined) return 100;
  const size = typeof limit === 'string' ? revision(limit) : null;
  return size !== null && size >= 1 && size <= 500 ? size : refused('limit', 'must be a number from 1 to 500');
}

/**
 * Reports whether plain text gets colours: only with `?color=1`, because files, pipes and browsers show colour codes as
 * garbage. Refuses values other than 0 and 1 with `invalid_request`.
 */
export function wantsColour(query: unknown): boolean {
  const { color } = (query ?? {}) as { readonly color?: unknown };
  if (color === undefined || color === '0') return false;
  return color === '1' || refused('color', 'must be 1 or 0');
}

const refused = (path: string, message: string) => refuseInvalid({ path, message });
