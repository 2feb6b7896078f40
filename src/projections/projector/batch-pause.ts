/** Pause after a batch of events, which lets many small batches share a transaction. */
const PAUSE_MS = 20;
const PAUSE_MS_EACH = 5;
const MAX_PAUSE_MS = 100;

/** Number of events in a batch after which there is no pause, so that a projector that is behind can catch up. */
const LARGE_BATCH = 200;

/** Returns the pause after a batch of events. It is longer after a larger batch, but zero after a very large one. */
export const batchPauseMs = (events: number): number =>
  events < LARGE_BATCH ? Math.min(PAUSE_MS + events * PAUSE_MS_EACH, MAX_PAUSE_MS) : 0;
