import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { announcesBody } from './header-field.js';

/** A body of which nothing arrived for so long is given up, between once and twice this. nginx waits 60 s. */
const SILENT_MS = 20_000;

/**
 * Cuts whoever began a body and then fell silent, with 408 where nothing was answered yet. Time in which it is we who do
 * not read does not count, and neither does how long an answer takes.
 */
export function cutWhenSilent(server: Server, request: IncomingMessage, response: ServerResponse) {
  if (!announcesBody(request.rawHeaders)) return;
  const { socket } = request;
  let heard = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer);
    if (socket.bytesRead === heard && request.readableLength === 0) {
      clearInterval(timer);
      if (response.headersSent) socket.destroy();
      else server.emit('clientError', new BodyStopped(), socket);
    }
    heard = socket.bytesRead;
  }, SILENT_MS).unref();
  request.once('close', () => clearInterval(timer));
}

/** As Node says it of a request that takes too long as a whole. */
class BodyStopped extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
