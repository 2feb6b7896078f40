import type { WebSocket } from 'ws';

/** Grace period for a client to close its side. A client that is busy sending reads the close frame late. */
export const CLOSES_WITHIN_MS = 10_000;

/** Closes a connection and stops reading. Destroying the socket with unread bytes could lose the close frame. */
export function closeUnread(socket: WebSocket, code: number, reason: string): void {
  // Remove the listeners, because frames that arrived in the same packet as the last one are still parsed.
  for (const event of ['message', 'ping', 'pong']) socket.removeAllListeners(event);
  socket.close(code, reason);
  socket.pause();
}
