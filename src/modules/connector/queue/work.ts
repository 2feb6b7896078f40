export type NewWork = {
  readonly workId: string;
  readonly siteId: string;
  /** Agents get work with higher values first. Work with equal values is assigned in order of arrival. */
  readonly priority: number;
  /** Input of the invocation, encoded as JSON. */
  readonly input: string;
};

/** Work assigned to an agent. Results of earlier attempts are no longer accepted. */
export type DispatchedWork = {
  readonly workId: string;
  readonly input: string;
  readonly attempt: number;
  readonly until: Date;
};

export type Offer = {
  readonly workId: string;
  readonly siteId: string;
  readonly tokenId: string;
  /** Number of the attempt, or null for the last attempt that was assigned to the agent. */
  readonly attempt: number | null;
  readonly outcome: 'succeeded' | 'failed';
  /** JSON: the output, or `{"message"}` for a failure. */
  readonly output: string;
  readonly digest: string;
};
