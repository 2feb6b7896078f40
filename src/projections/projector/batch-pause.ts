/** Pause between two batches, so that many small batches share a transaction. It is longer after a larger batch. */
const PAUSE_MS = 20;
const PAUSE_MS_EACH = 5;
const MAX_PAUSE_MS = 100;

/** There is no pause after a batch with this many events, so that a projector that is behind can catch up. */
const LARGE_BATCH = 200;

/** Returns the pause after a batch with this many events, in milliseconds. */
export const batchPauseMs = (events: number): number =>
  events < LARGE_BATCH ? Math.min(PAUSE_MS + events * PAUSE_MS_EACH, MAX_PAUSE_MS) : 0;
