/** How long the streams of jobs and runs are kept after they end. */
export abstract class StreamRetention {
  abstract readonly ms: number;
  /** Interval between checks for streams to delete. */
  abstract readonly lookEveryMs: number;
}
