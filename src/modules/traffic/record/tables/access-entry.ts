/** The kind of client: `probe` is a request of our own, `prefetch` one that a browser makes before a person clicks. */
export type ClientKind = 'person' | 'robot' | 'prefetch' | 'probe';

/** One request, or under load several that are alike; see the table `access_entries`. */
export type AccessEntry = {
  readonly siteId: string;
  /** Of the first of them; milliseconds since 1970. */
  readonly at: number;
  readonly hits: number;
  readonly method: string;
  /** Decoded, without the query; PostgreSQL takes it: neither NUL nor half of a pair. */
  readonly path: string;
  readonly status: number;
  /** Of content that was sent, of all hits together. */
  readonly bytes: number;
  /** From the request to the end of its answer, in milliseconds; of several hits the mean. */
  readonly ms: number;
  /** A host; null where there is none, or it is one of the site's own. */
  readonly referrer: string | null;
  readonly client: ClientKind;
  /** Html that was answered 200 or 304. */
  readonly isPage: boolean;
  /** Whether the site had its visits counted. */
  readonly counted: boolean;
  /** Eight bytes; null where visits are not counted, or where the visitor objects. */
  readonly visitor: bigint | null;
  readonly browser: string | null;
  readonly system: string | null;
  readonly device: string | null;
  readonly country: string | null;
};
