import { formatLogMessage, type LogEntry, type LogKind, type LogLevel } from '../api/log-entry.js';

/** An inclusive range of HTTP statuses, such as 404 to 404 or 400 to 499. */
export type StatusRange = readonly [from: number, to: number];

/** Conditions on a log entry. An entry passes the filter if it meets all of them. Missing conditions are ignored. */
export type LogFilter = {
  readonly kind?: readonly LogKind[] | undefined;
  readonly level?: readonly LogLevel[] | undefined;
  /** The entry must have one of these statuses. Only requests have a status, so other entries are excluded. */
  readonly status?: readonly StatusRange[] | undefined;
  /** Prefix of the path. Only requests have a path, so other entries are excluded. */
  readonly path?: string | undefined;
  /** Text that the message must contain, ignoring the case of ASCII letters. */
  readonly q?: string | undefined;
  /** Start of the period (RFC 3339), inclusive. */
  readonly since?: string | undefined;
  /** End of the period (RFC 3339), exclusive. */
  readonly until?: string | undefined;
};

/**
 * Reports whether a log entry meets all conditions of the filter. `site-log-entries.ts` contains the same conditions in
 * SQL.
 */
export function passes(filter: LogFilter, entry: LogEntry): boolean {
  const { kind, level, status, path, q, since, until } = filter;
  if (kind && !kind.includes(entry.kind)) return false;
  if (level && !level.includes(entry.level)) return false;
  if (status && !(entry.kind === 'access' && status.some(([from, to]) => entry.status >= from && entry.status <= to)))
    return false;
  if (path !== undefined && !(entry.kind === 'access' && entry.path.startsWith(path))) return false;
  if (since !== undefined && Date.parse(entry.at) < Date.parse(since)) return false;
  if (until !== undefined && Date.parse(entry.at) >= Date.parse(until)) return false;
  return q === undefined || inLowerCase(formatLogMessage(entry)).includes(inLowerCase(q));
}

/** Converts ASCII letters to lower case and leaves all others unchanged, like PostgreSQL in the locale C. */
const inLowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Reports which kinds of entries the filter can match: requests, other activity, or both. */
export const selectEntryKinds = ({ kind, status, path }: LogFilter) => ({
  access: !kind || kind.includes('access'),
  activity: status === undefined && path === undefined && (!kind || kind.some((each) => each !== 'access')),
});
