import type { Socket } from 'node:net';

/** Reads internals of Node beneath a socket. Some of them disappear when the socket closes. */
const own = (socket: Socket, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
    socket,
  );

/** The socket’s file descriptor; −1 if it has none, for example because it is closed. */
export function readDescriptor(socket: Socket): number {
  const fd = own(socket, '_handle', 'fd');
  return typeof fd === 'number' ? fd : -1;
}

/**
 * Bytes written to a socket that the operating system has not accepted yet. `writableLength` counts a whole piece until
 * its last byte is accepted.
 */
export function queuedBytes(socket: Socket): number {
  const { writableLength } = socket;
  if (writableLength === 0) return 0;
  const piece = own(socket, '_writableState', 'writelen');
  const restOfPiece = own(socket, '_handle', 'writeQueueSize');
  if (typeof piece !== 'number' || typeof restOfPiece !== 'number') return writableLength;
  return Math.max(0, writableLength - piece + Math.min(piece, restOfPiece));
}
