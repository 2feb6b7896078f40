/** How long the streams of jobs and runs are kept after their end. */
export abstract class StreamsKept {
  abstract readonly ms: number;
  /** How often it is looked for those whose time is over. */
  abstract readonly lookEveryMs: number;
}
