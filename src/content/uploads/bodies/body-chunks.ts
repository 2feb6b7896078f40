import type { IncomingMessage } from 'node:http';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';

/**
 * The body of a request as it arrives. Refuses with `too_large` past `limit` bytes, before reading if the announced
 * length is larger, and with `invalid_request` if the connection ends before the body does. Stopping early does not
 * destroy the socket: the response still has to be written to it.
 */
export function bodyChunks(request: IncomingMessage, limit = Infinity): AsyncIterable<Buffer> {
  const tooLarge = () => refuse('too_large', `The request body must not be larger than ${formatBytes(limit)}.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) tooLarge();
  return counted(request, limit, tooLarge);
}

async function* counted(request: IncomingMessage, limit: number, tooLarge: () => never): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) tooLarge();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : cutShort();
  }
}

/** The client is gone, but the request still has to end with a response that does not blame the server. */
const cutShort = () =>
  new Refusal('invalid_request', 'The connection closed before the whole request body was received.');
