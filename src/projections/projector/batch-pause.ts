/** Between two batches, in milliseconds, so that many small ones share a transaction. The more a batch had, the longer. */
const PAUSE_MS = 20;
const PAUSE_MS_EACH = 5;
const MAX_PAUSE_MS = 100;

/** After a batch of this many events there is no pause: who is behind the log catches up. */
const LARGE_BATCH = 200;

/** How long a process that follows the log waits after a batch of so many events, in milliseconds. */
export const batchPauseMs = (events: number): number =>
  events < LARGE_BATCH ? Math.min(PAUSE_MS + events * PAUSE_MS_EACH, MAX_PAUSE_MS) : 0;
