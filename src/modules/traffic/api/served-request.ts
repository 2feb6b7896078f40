/** The site that a visitor requested, with the details that are needed to record the request. */
export type VisitedPlace = {
  readonly siteId: string;
  readonly isCounted: boolean;
  /** Number of characters before the site's own path: the length of `/s/{slug}`, or 0. */
  readonly prefixLength: number;
  /** Whether the response is HTML that belongs to the site: a page or a folder listing. */
  readonly isHtml: boolean;
};

export type SentRequest = {
  readonly method: string;
  /** URL of the request, including the query. */
  readonly url: string;
  /** Request headers as alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** Approximate memory used by the strings of this request. */
  readonly bytes: number;
};

export type ServedRequest = {
  readonly place: VisitedPlace;
  readonly request: SentRequest;
  readonly status: number;
  readonly bytes: number;
  /** Time of the request in milliseconds since 1970, or null for the current time. */
  readonly at: number | null;
  /** Milliseconds from the request to the end of the response; 0 if a cached response was sent immediately. */
  readonly ms: number;
  /** IP address of the client or proxy that opened the connection. */
  readonly peer: string;
  /**
   * Checks whether a host belongs to the site. If a visit comes from a page of the same site, no referrer is recorded.
   */
  readonly hosts: { isOf(hostname: string, siteId: string): boolean };
};

/** Counts of recorded and dropped requests since the process started. */
export type AccessLogCounts = {
  readonly written: number;
  readonly dropped: number;
  /** Batches that the database rejected. Most of them were written in a later attempt. */
  readonly failedBatches: number;
  /** Requests waiting to be recorded, and entries waiting to be written. */
  readonly waiting: number;
};
