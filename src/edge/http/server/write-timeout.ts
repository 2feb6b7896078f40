import type { ServerResponse } from 'node:http';
import { isInjection } from 'light-my-request';

/** A client that reads nothing of a response for this long is disconnected. */
const WRITE_TIMEOUT_MS = 60_000;

/**
 * Closes the connection if no byte of the response has moved for between one and two times `timeoutMs`. This also
 * releases the source of the response. Call this function once per response, before its content or after its end. It
 * cannot observe bytes that the operating system has already accepted.
 */
export function enforceWriteTimeout(response: ServerResponse, timeoutMs = WRITE_TIMEOUT_MS) {
  // Internal requests of the service have no connection.
  if (isInjection(response)) return;
  const { socket } = response;
  if (response.writableFinished || (socket && response.writableEnded && socket.writableLength === 0)) return;
  response.setTimeout(timeoutMs, () => void response.destroy());
  // Must run before Node sets its own timeout for the next request.
  response.prependOnceListener('finish', () => void response.socket?.setTimeout(0));
}
