import { type LogEntry, type LogKind, type LogLevel, messageOf } from '../api/log-entry.js';

/** Statuses from one to another, both with it: 404 to 404, or 400 to 499. */
export type StatusRange = readonly [from: number, to: number];

/** Which entries of a log are wanted: those that are all of it. What is left out asks for nothing. */
export type LogFilter = {
  readonly kind?: readonly LogKind[] | undefined;
  readonly level?: readonly LogLevel[] | undefined;
  /** One of these. It leaves requests alone. */
  readonly status?: readonly StatusRange[] | undefined;
  /** What the path begins with. It leaves requests alone. */
  readonly path?: string | undefined;
  /** A text in the message, however its letters of ASCII are written. */
  readonly q?: string | undefined;
  /** RFC 3339; entries of that time too. */
  readonly since?: string | undefined;
  /** RFC 3339; entries of that time no more. */
  readonly until?: string | undefined;
};

/** What an entry has to pass for a filter; the same in SQL is in `site-log-entries.ts`. */
export function passes(filter: LogFilter, entry: LogEntry): boolean {
  const { kind, level, status, path, q, since, until } = filter;
  if (kind && !kind.includes(entry.kind)) return false;
  if (level && !level.includes(entry.level)) return false;
  if (status && !(entry.kind === 'access' && status.some(([from, to]) => entry.status >= from && entry.status <= to)))
    return false;
  if (path !== undefined && !(entry.kind === 'access' && entry.path.startsWith(path))) return false;
  if (since !== undefined && Date.parse(entry.at) < Date.parse(since)) return false;
  if (until !== undefined && Date.parse(entry.at) >= Date.parse(until)) return false;
  return q === undefined || inLowerCase(messageOf(entry)).includes(inLowerCase(q));
}

/** As PostgreSQL has it in its locale C: of letters that have a case in ASCII alone. */
const inLowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Whether the filter leaves out all requests, or all but requests. */
export const asksFor = ({ kind, status, path }: LogFilter) => ({
  access: !kind || kind.includes('access'),
  activity: status === undefined && path === undefined && (!kind || kind.some((each) => each !== 'access')),
});
