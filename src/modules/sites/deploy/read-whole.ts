import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';

/** A body that fits in memory. Refuses with `too_large` as soon as that is known, before it has been read. */
export async function readWhole(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () => refuse('too_large', `A body of this kind may have ${limit} bytes at most.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) tooLarge();

  const pieces: Buffer[] = [];
  let size = 0;
  // Leaving the loop early must not destroy the socket: the answer still has to be written to it.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    size += piece.length;
    if (size > limit) tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
