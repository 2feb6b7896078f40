/** How long the streams of jobs and runs are kept after those have ended. */
export abstract class StreamRetention {
  abstract readonly ms: number;
  /** Interval between checks for streams that can be deleted. */
  abstract readonly lookEveryMs: number;
}
