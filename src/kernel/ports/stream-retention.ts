/** How long the streams of jobs and runs are kept after their end. */
export abstract class StreamRetention {
  abstract readonly ms: number;
  /** How often it is looked for those whose time is over. */
  abstract readonly lookEveryMs: number;
}
