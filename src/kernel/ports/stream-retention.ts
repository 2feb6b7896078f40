/** Retention of the streams of finished jobs and runs. */
export abstract class StreamRetention {
  abstract readonly ms: number;
  abstract readonly lookEveryMs: number;
}
