/** Kinds of log entries. `server` is for running servers of sites. */
export const logKinds = ['access', 'deploy', 'job', 'server', 'system'] as const;
export type LogKind = (typeof logKinds)[number];

export const logLevels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogEntryBase = {
  /** IDs are greater than those of all earlier entries. */
  readonly id: number;
  readonly siteId: string;
  /** RFC 3339, UTC, with milliseconds. */
  readonly at: string;
  readonly level: LogLevel;
};

/** One request, or under high load several similar ones. */
export type RequestEntry = LogEntryBase & {
  readonly kind: 'access';
  readonly hits: number;
  readonly method: string;
  /** Decoded, without the query. Can contain any characters, including control characters. */
  readonly path: string;
  readonly status: number;
  /** Bytes of content sent for all hits together. */
  readonly bytes: number;
  /** Time from the request to the end of the response; the mean if there are several hits. */
  readonly ms: number;
  /** Hostname without a path. */
  readonly referrer: string | null;
  readonly client: string;
  /** 11 characters of base64url, constant for a visitor for one day. */
  readonly visitor: string | null;
};

export type ActivityEntry = LogEntryBase & {
  readonly kind: Exclude<LogKind, 'access'>;
  readonly message: string;
  readonly type: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

export type LogEntry = RequestEntry | ActivityEntry;

/** `site-log-entries.ts` contains the same logic in SQL. */
export const formatLogMessage = (entry: LogEntry): string =>
  entry.kind === 'access' ? `${entry.method} ${entry.path} ${entry.status}` : entry.message;

export const levelOfStatus = (status: number): LogLevel => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info');
