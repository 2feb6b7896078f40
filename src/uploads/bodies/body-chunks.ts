import type { IncomingMessage } from 'node:http';
import { Refusal, refuse } from '../../kernel/refusal.js';

/**
 * A body as it arrives. Refuses with `too_large` past `limit` bytes, before the body was read where its length was
 * announced, and with `invalid_request` when the connection ends before the body does. Leaving early does not destroy
 * the socket: the answer still has to be written to it.
 */
export function bodyPieces(request: IncomingMessage, limit = Infinity): AsyncIterable<Buffer> {
  const tooLarge = () => refuse('too_large', `A body of this kind may have ${limit} bytes at most.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) tooLarge();
  return counted(request, limit, tooLarge);
}

async function* counted(request: IncomingMessage, limit: number, tooLarge: () => never): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limit) tooLarge();
      yield piece;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff();
  }
}

/** Nobody is left to read it; but what was begun must end, and it is no fault of this side. */
const brokenOff = () => new Refusal('invalid_request', 'The connection was closed before the body had ended.');
