/** How much one deploy may hold. `files` is a count, the others are bytes. */
export type DeployLimits = {
  /** Of one file. */
  readonly fileBytes: number;
  /** Of all files together. */
  readonly deployBytes: number;
  readonly files: number;
  /** Of a request body that is JSON or a single HTML page. */
  readonly bodyBytes: number;
};
