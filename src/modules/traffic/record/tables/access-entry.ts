/**
 * Kinds of clients. `probe` is the service itself when it checks its components. `prefetch` is a browser that requests
 * a page before the user clicks.
 */
export type ClientKind = 'person' | 'robot' | 'prefetch' | 'probe';

/** A log entry for one request, or under high load for several similar ones. See the table `access_entries`. */
export type AccessEntry = {
  readonly siteId: string;
  /** Time of the entry's first request in milliseconds since 1970. */
  readonly at: number;
  readonly hits: number;
  readonly method: string;
  /**
   * Path of the request, decoded, without the query. It contains no characters that PostgreSQL rejects (NULs, lone
   * surrogates).
   */
  readonly path: string;
  readonly status: number;
  /** Bytes of content sent in response to all requests of this entry. */
  readonly bytes: number;
  /** Time from the request to the end of the response; for several requests, the mean. */
  readonly ms: number;
  /** Hostname of the page with the link that the visitor followed; null if it is missing or belongs to the site. */
  readonly referrer: string | null;
  readonly client: ClientKind;
  /** Whether the response is an HTML page with the status 200 or 304. */
  readonly isPage: boolean;
  /** Whether analytics was enabled for the site. */
  readonly counted: boolean;
  /**
   * Eight-byte hash that identifies a visitor for one day; null if visits are not counted or the visitor has opted out.
   */
  readonly visitor: bigint | null;
  readonly browser: string | null;
  readonly system: string | null;
  readonly device: string | null;
  readonly country: string | null;
};
