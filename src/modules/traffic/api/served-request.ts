/** A site at one kind of address, as its visits are recorded. */
export type VisitedPlace = {
  readonly siteId: string;
  /** Whether the site has its visits counted. */
  readonly isCounted: boolean;
  /** How many characters of an address come before the site's own path: those of `/s/{slug}`, else none. */
  readonly prefixLength: number;
  /** Whether it is html of the site's own: a page of it, or the listing of a folder. */
  readonly isHtml: boolean;
};

/** A request as it was sent. */
export type SentRequest = {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** Names and values by turns. */
  readonly rawHeaders: readonly string[];
  /** About what keeping these texts takes of memory, in bytes. */
  readonly bytes: number;
};

/** A request to a site that was answered, as the process that served it knows it. */
export type ServedRequest = {
  readonly place: VisitedPlace;
  readonly request: SentRequest;
  readonly status: number;
  /** Of content that was sent. */
  readonly bytes: number;
  /** Milliseconds since 1970; null for just now. */
  readonly at: number | null;
  /** From the request to the end of its answer, in milliseconds; 0 where the answer lay ready and was taken at once. */
  readonly ms: number;
  /** The address at the other end of the connection. */
  readonly peer: string;
  /** Tells whether a host belongs to the site, so that a visit from it has no referrer. */
  readonly hosts: { isOf(hostname: string, siteId: string): boolean };
};

/** What has become of requests since the process started. */
export type AccessLogCounts = {
  /** Entries that were written down. */
  readonly written: number;
  /** Requests that were not, and were counted as such. */
  readonly dropped: number;
  /** Batches that the database did not take; most were written later. */
  readonly failedBatches: number;
  /** Requests, or entries made of them, that are to be written. */
  readonly waiting: number;
};
