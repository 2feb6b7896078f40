import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

type Piece = Buffer | string | Promise<Buffer>;

/** A request as a handler gets it, whose body arrives in these pieces, each in a turn of its own. */
export function requestOf(headers: IncomingHttpHeaders, pieces: readonly Piece[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  const rest = pieces[Symbol.iterator]();
  // Pushed together they would be read as one.
  request._read = () => void setImmediate(async () => request.push((await rest.next().value) ?? null));
  return request;
}

/** These bytes, `size` at a time. */
export function inPieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

export async function* arriving(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
