import type { ServerResponse } from 'node:http';

/** How long a client may take nothing of a long answer, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Ends an answer whose client has stopped reading: when no byte has moved for that long, and before twice that, the
 * connection is cut, and the stream behind the answer with it. A slow client that reads on is left alone. Called once
 * for an answer, before its content or after its end; what the system has taken already is no longer ours to watch.
 */
export function cutWhenStalled(response: ServerResponse, patienceMs = PATIENCE_MS) {
  const { socket } = response;
  if (response.writableFinished || (socket && response.writableEnded && socket.writableLength === 0)) return;
  response.setTimeout(patienceMs, () => void response.destroy());
  // Before Node sets its own time for the next request.
  response.prependOnceListener('finish', () => void response.socket?.setTimeout(0));
}
