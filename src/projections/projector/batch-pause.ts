/** Pause after a batch of events. It lets many small batches share a transaction. */
const PAUSE_MS = 20;
const PAUSE_MS_EACH = 5;
const MAX_PAUSE_MS = 100;

/**
 * A batch with at least this many events is not followed by a pause. A projector with such batches is behind and has to
 * catch up.
 */
const LARGE_BATCH = 200;

export const batchPauseMs = (events: number): number =>
  events < LARGE_BATCH ? Math.min(PAUSE_MS + events * PAUSE_MS_EACH, MAX_PAUSE_MS) : 0;
