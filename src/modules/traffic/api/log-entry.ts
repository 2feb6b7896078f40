/** Kinds of log entries. `server` is for entries about running servers of sites. */
export const logKinds = ['access', 'deploy', 'job', 'server', 'system'] as const;
export type LogKind = (typeof logKinds)[number];

export const logLevels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogEntryBase = {
  /** ID of the entry, which is greater than those of all earlier entries. */
  readonly id: number;
  readonly siteId: string;
  /** Time of the request or event: RFC 3339, UTC, with milliseconds. */
  readonly at: string;
  readonly level: LogLevel;
};

/** A log entry for one request, or under high load for several similar ones. */
export type RequestEntry = LogEntryBase & {
  readonly kind: 'access';
  readonly hits: number;
  readonly method: string;
  /** Path of the request, decoded, without the query. Can contain any characters, including control characters. */
  readonly path: string;
  readonly status: number;
  /** Bytes of content sent in response to all requests of this entry. */
  readonly bytes: number;
  /** Time from the request to the end of the response; for several requests, the mean. */
  readonly ms: number;
  /** Hostname of the page with the link that the visitor followed, without a path. */
  readonly referrer: string | null;
  readonly client: string;
  /** Hash that identifies a visitor for one day: 11 characters of base64url. */
  readonly visitor: string | null;
};

export type ActivityEntry = LogEntryBase & {
  readonly kind: Exclude<LogKind, 'access'>;
  readonly message: string;
  readonly type: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

export type LogEntry = RequestEntry | ActivityEntry;

/** Formats the message of a log entry. `site-log-entries.ts` contains the same logic in SQL. */
export const formatLogMessage = (entry: LogEntry): string =>
  entry.kind === 'access' ? `${entry.method} ${entry.path} ${entry.status}` : entry.message;

export const levelOfStatus = (status: number): LogLevel => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info');
