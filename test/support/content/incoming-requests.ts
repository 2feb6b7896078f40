import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

type Piece = Buffer | string | Promise<Buffer>;

/** Returns a request as a handler receives it. Each piece of its body arrives in a separate turn of the event loop. */
export function requestOf(headers: IncomingHttpHeaders, pieces: readonly Piece[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  const rest = pieces[Symbol.iterator]();
  // Pushes pieces separately, because pieces pushed together would be read as one.
  request._read = () => void setImmediate(async () => request.push((await rest.next().value) ?? null));
  return request;
}

export function inPieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

export async function* arriving(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
