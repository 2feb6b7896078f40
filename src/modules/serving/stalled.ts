import type { ServerResponse } from 'node:http';

/** A visitor who takes no byte for so long is let go, between once and twice this. nginx waits 60 s. */
export const STALLED_MS = 20_000;

/** Sees to it that an answer that is not all sent yet does not wait for ever for somebody to take it. */
export function cutWhenStalled(response: ServerResponse) {
  const { socket } = response;
  // What the system has taken is no longer ours to watch.
  if (response.writableFinished || (socket && response.writableEnded && socket.writableLength === 0)) return;
  response.setTimeout(STALLED_MS, () => response.destroy());
  // Before Node sets its own time for the next request.
  response.prependOnceListener('finish', () => response.socket?.setTimeout(0));
}
