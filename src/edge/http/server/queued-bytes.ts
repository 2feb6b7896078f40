import type { Socket } from 'node:net';

/** Reads Node's internal objects beneath a socket. Some of them disappear when the socket closes. */
const own = (socket: Socket, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
    socket,
  );

/** Returns the socket’s file descriptor, or −1 if it has none, for example because it is closed. */
export function readDescriptor(socket: Socket): number {
  const fd = own(socket, '_handle', 'fd');
  return typeof fd === 'number' ? fd : -1;
}

/**
 * Returns how many bytes written to a socket have not been accepted by the operating system yet. `writableLength`
 * counts a whole piece until its last byte has been accepted.
 */
export function queuedBytes(socket: Socket): number {
  const { writableLength } = socket;
  if (writableLength === 0) return 0;
  const piece = own(socket, '_writableState', 'writelen');
  const restOfPiece = own(socket, '_handle', 'writeQueueSize');
  if (typeof piece !== 'number' || typeof restOfPiece !== 'number') return writableLength;
  return Math.max(0, writableLength - piece + Math.min(piece, restOfPiece));
}
