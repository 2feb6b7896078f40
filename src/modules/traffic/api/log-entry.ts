/** What an entry of a site's log is about; `server` is for the running programs of sites. */
export const logKinds = ['access', 'deploy', 'job', 'server', 'system'] as const;
export type LogKind = (typeof logKinds)[number];

export const logLevels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

type LogEntryBase = {
  /** Greater than that of every entry that was there before. */
  readonly id: number;
  readonly siteId: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly level: LogLevel;
};

/** Requests that were answered: one, or under load several that were alike. */
export type RequestEntry = LogEntryBase & {
  readonly kind: 'access';
  readonly hits: number;
  readonly method: string;
  /** Decoded, without the query: any text, control characters too. */
  readonly path: string;
  readonly status: number;
  /** Of content that was sent, of all hits together. */
  readonly bytes: number;
  /** From the request to the end of its answer; of several hits the mean. */
  readonly ms: number;
  /** The host alone. */
  readonly referrer: string | null;
  readonly client: string;
  /** 11 characters of base64url: the same for one visitor within a day. */
  readonly visitor: string | null;
};

/** What else happened to a site. */
export type ActivityEntry = LogEntryBase & {
  readonly kind: Exclude<LogKind, 'access'>;
  readonly message: string;
  /** The event that it tells of, where it tells of one. */
  readonly type: string | null;
  /** Further members of the entry. */
  readonly data: Readonly<Record<string, unknown>>;
};

export type LogEntry = RequestEntry | ActivityEntry;

/** What an entry says in one line. Another place of this is the SQL of `site-log-entries.ts`. */
export const messageOf = (entry: LogEntry): string =>
  entry.kind === 'access' ? `${entry.method} ${entry.path} ${entry.status}` : entry.message;

export const levelOfStatus = (status: number): LogLevel => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info');
