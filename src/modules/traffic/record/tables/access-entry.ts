/** `probe` is a request of the service itself; `prefetch` is a request that a browser sends before the user clicks. */
export type ClientKind = 'person' | 'robot' | 'prefetch' | 'probe';

/** One request, or under high load several similar ones. See the table `access_entries`. */
export type AccessEntry = {
  readonly siteId: string;
  /** Time of the first request in milliseconds since 1970. */
  readonly at: number;
  readonly hits: number;
  readonly method: string;
  /** Decoded, without the query, and valid for PostgreSQL: without NULs or lone surrogates. */
  readonly path: string;
  readonly status: number;
  /** Bytes of content sent for all hits together. */
  readonly bytes: number;
  /** Time from the request to the end of the response; the mean if there are several hits. */
  readonly ms: number;
  /** Hostname; null if it is missing or belongs to the site. */
  readonly referrer: string | null;
  readonly client: ClientKind;
  /** Whether the response is HTML with the status 200 or 304. */
  readonly isPage: boolean;
  /** Whether analytics was enabled for the site. */
  readonly counted: boolean;
  /** Eight bytes; null if visits are not counted or the visitor has opted out. */
  readonly visitor: bigint | null;
  readonly browser: string | null;
  readonly system: string | null;
  readonly device: string | null;
  readonly country: string | null;
};
