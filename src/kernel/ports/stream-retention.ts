/** How long the event streams of finished jobs and runs are kept. */
export abstract class StreamRetention {
  abstract readonly ms: number;
  abstract readonly lookEveryMs: number;
}
