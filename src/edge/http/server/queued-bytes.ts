import type { Socket } from 'node:net';

/**
 * Reads a value from Node's internal objects behind a socket. Some of these objects disappear when the socket closes.
 */
const own = (socket: Socket, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
    socket,
  );

/** Returns the socket’s file descriptor, or −1 if there is none, for example because the socket is closed. */
export function readDescriptor(socket: Socket): number {
  const fd = own(socket, '_handle', 'fd');
  return typeof fd === 'number' ? fd : -1;
}

/**
 * Returns how many written bytes the operating system has not accepted yet. `writableLength` alone is too high: it
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
