/** Pause between two batches, which lets many small batches share a transaction. */
const PAUSE_MS = 20;
const PAUSE_MS_EACH = 5;
const MAX_PAUSE_MS = 100;

/** Batches of this size or more have no pause, so that a projector that is behind can catch up. */
const LARGE_BATCH = 200;

/** Returns the pause after a batch, which is longer after a larger batch. */
export const batchPauseMs = (events: number): number =>
  events < LARGE_BATCH ? Math.min(PAUSE_MS + events * PAUSE_MS_EACH, MAX_PAUSE_MS) : 0;
