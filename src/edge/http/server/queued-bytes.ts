import type { Socket } from 'node:net';

/** What Node keeps beneath a socket, and has no public name for; some of it is gone when the socket is. */
const own = (socket: Socket, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
    socket,
  );

/** The socket’s file descriptor; −1 if it has none, or none any more. */
export function descriptorOf(socket: Socket): number {
  const fd = own(socket, '_handle', 'fd');
  return typeof fd === 'number' ? fd : -1;
}

/**
 * Bytes written to a socket that the operating system has not taken yet. `writableLength` has a piece as a whole until
 * the last byte of it is taken.
 */
export function queuedBytes(socket: Socket): number {
  const { writableLength } = socket;
  if (writableLength === 0) return 0;
  const piece = own(socket, '_writableState', 'writelen');
  const restOfPiece = own(socket, '_handle', 'writeQueueSize');
  if (typeof piece !== 'number' || typeof restOfPiece !== 'number') return writableLength;
  return Math.max(0, writableLength - piece + Math.min(piece, restOfPiece));
}
