/** A site and the form of its URL, as recorded with visits. */
export type VisitedPlace = {
  readonly siteId: string;
  /** Whether visits to the site are counted. */
  readonly isCounted: boolean;
  /** Number of characters before the site’s own path: the length of `/s/{slug}`, else 0. */
  readonly prefixLength: number;
  /** Whether the response is HTML of the site itself: a page, or the listing of a folder. */
  readonly isHtml: boolean;
};

/** A request as the visitor sent it. */
export type SentRequest = {
  readonly method: string;
  /** Includes the query. */
  readonly url: string;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  /** Approximate memory that these strings use, in bytes. */
  readonly bytes: number;
};

/** A completed request to a site, with the data that the process that served it has. */
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
  /** Checks whether a host belongs to the site, so that a visit from it has no referrer. */
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
