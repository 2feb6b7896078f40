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

/** Records completed requests for the logs and the traffic of sites. */
export abstract class AccessLog {
  /** Whether requests to this place are recorded at all. */
  abstract wants(place: VisitedPlace): boolean;

  /**
   * Whether the process is too busy to record a request to this place; the request is then counted as dropped. Call it
   * once
   * per request, before `record`, so that a skipped request costs almost nothing.
   */
  abstract passesOver(place: VisitedPlace): boolean;

  /**
   * Records a request. Takes well under a microsecond, never waits and never throws. Under high load, similar requests
   * are
   * counted together; the rest are dropped and counted.
   */
  abstract record(request: ServedRequest): void;

  abstract readonly counts: AccessLogCounts;
}
