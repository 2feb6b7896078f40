/** A request to a site that was answered, as the process that served it knows it. */
export type ServedRequest = {
  readonly siteId: string;
  /** Whether the site has its visits counted. */
  readonly isCounted: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** As it was sent, with its query. */
  readonly url: string;
  /** How many characters of `url` come before the site's own path: those of `/s/{slug}`, else none. */
  readonly prefixLength: number;
  readonly status: number;
  /** Of content that was sent. */
  readonly bytes: number;
  /** From the request to the end of its answer, in milliseconds. */
  readonly ms: number;
  /** Whether it is html of the site's own: a page of it, or the listing of a folder. */
  readonly isHtml: boolean;
  /** The address at the other end of the connection. */
  readonly peer: string;
  /** Names and values by turns, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** About what keeping its texts takes of memory, in bytes. */
  readonly heldBytes: number;
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

/** Keeps what was answered, for the logs and the traffic of sites. */
export abstract class AccessLog {
  /**
   * Takes note of a request; costs well under a microsecond, never waits and never throws. Under more load than can be
   * written down, requests that are alike are counted together, and what is beyond that is dropped and counted.
   */
  abstract record(request: ServedRequest): void;

  abstract readonly counts: AccessLogCounts;
}
