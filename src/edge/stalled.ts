import type { ServerResponse } from 'node:http';

/** How long a client may take nothing of a long answer, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Ends an answer whose client has stopped reading: when no byte has moved for that long the connection is cut, and the
 * stream behind the answer with it. A slow client that reads on is left alone.
 */
export function cutWhenStalled(response: ServerResponse, patienceMs = PATIENCE_MS) {
  response.setTimeout(patienceMs, () => void response.destroy());
}
