import type { WebSocket } from 'ws';

/** How long a connection that was closed stays open for a client that does not close it too, in milliseconds: a client
 * that is busy sending comes to read the close frame late. */
export const CLOSES_WITHIN_MS = 10_000;

/**
 * Closes a connection whose client is not listened to any more: nothing that it sends is read. It has a moment to take
 * the close frame; closed at once with bytes unread, the connection would be reset before that arrives.
 */
export function closeUnread(socket: WebSocket, code: number, reason: string): void {
  // The frames that came in one packet with the last one are still parsed.
  for (const event of ['message', 'ping', 'pong']) socket.removeAllListeners(event);
  socket.close(code, reason);
  socket.pause();
}
