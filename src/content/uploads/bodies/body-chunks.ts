import type { IncomingMessage } from 'node:http';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';

/**
 * Returns the chunks of a request body as they arrive. Refuses with `too_large` if the body is larger than `limit`,
 * before reading anything if the announced length is. Refuses with `invalid_request` if the connection closes early.
 * Stopping before the end does not destroy the socket, because the response must still be sent on it.
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

/** The client has disconnected, but the request still needs a response that does not blame the server. */
const cutShort = () =>
  new Refusal('invalid_request', 'The connection closed before the whole request body was received.');
