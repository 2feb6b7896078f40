export type NewWork = {
  readonly workId: string;
  readonly siteId: string;
  /** Greater goes first; of equals, what came first. */
  readonly priority: number;
  /** JSON text. */
  readonly input: string;
};

/** Work that an agent was given. Of an attempt before this one no result is taken any more. */
export type LeasedWork = {
  readonly workId: string;
  readonly input: string;
  readonly attempt: number;
  readonly until: Date;
};

export type Offer = {
  readonly workId: string;
  readonly siteId: string;
  readonly tokenId: string;
  /** Null for the last attempt that the agent was given. */
  readonly attempt: number | null;
  readonly outcome: 'succeeded' | 'failed';
  /** JSON text: what came out, or `{"message"}` of a failure. */
  readonly output: string;
  readonly digest: string;
};
