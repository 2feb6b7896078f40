/** A site at one kind of URL, as recorded with its visits. */
export type VisitedPlace = {
  readonly siteId: string;
  /** Whether visits to the site are counted. */
  readonly isCounted: boolean;
  /** Number of characters before the site’s own path: the length of `/s/{slug}`, else 0. */
  readonly prefixLength: number;
  /** Whether the response is HTML of the site itself: a page, or the listing of a folder. */
  readonly isHtml: boolean;
};

/** A request as it was sent. */
export type SentRequest = {
  readonly method: string;
  /** Includes the query. */
  readonly url: string;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  /** Approximate memory that these texts use, in bytes. */
  readonly bytes: number;
};

/** A completed request to a site, as the process that served it knows it. */
export type ServedRequest = {
  readonly place: VisitedPlace;
  readonly request: SentRequest;
  readonly status: number;
  /** Bytes of content sent. */
  readonly bytes: number;
  /** Milliseconds since 1970; null for the current time. */
  readonly at: number | null;
  /** Time from the request to the end of its response, in milliseconds; 0 if a cached response was sent at once. */
  readonly ms: number;
  /** The remote address of the connection. */
  readonly peer: string;
  /** Tells whether a host belongs to the site, so that a visit from it has no referrer. */
  readonly hosts: { isOf(hostname: string, siteId: string): boolean };
};

/** Counts of requests since the process started. */
export type AccessLogCounts = {
  /** Entries written. */
  readonly written: number;
  /** Requests that were not recorded. */
  readonly dropped: number;
  /** Batches that the database rejected; most were written later. */
  readonly failedBatches: number;
  /** Requests, or entries made from them, that are waiting to be written. */
  readonly waiting: number;
};
