import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { hasBody } from './header-field.js';

/** A stalled request body is abandoned after one to two of these intervals. nginx waits 60 s. */
const BODY_TIMEOUT_MS = 20_000;

/**
 * Closes a connection whose client stalls while sending a request body. Responds with 408 if no response has begun.
 * Ignores time in which the server does not read the body or is still responding.
 */
export function enforceBodyTimeout(server: Server, request: IncomingMessage, response: ServerResponse) {
  if (!hasBody(request.rawHeaders)) return;
  const { socket } = request;
  let bytesReadBefore = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer);
    if (socket.bytesRead === bytesReadBefore && request.readableLength === 0) {
      clearInterval(timer);
      if (response.headersSent) socket.destroy();
      else server.emit('clientError', new BodyTimeoutError(), socket);
    }
    bytesReadBefore = socket.bytesRead;
  }, BODY_TIMEOUT_MS).unref();
  request.once('close', () => clearInterval(timer));
}

/** Has the code of Node’s own request timeout error, so that `clientError` treats it like that error. */
class BodyTimeoutError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
