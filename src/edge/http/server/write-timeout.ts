import type { ServerResponse } from 'node:http';
import { isInjection } from 'light-my-request';

/** Time after which a client that reads nothing of a response is cut off. */
const WRITE_TIMEOUT_MS = 60_000;

/**
 * Closes the connection of a client that has stopped reading a response, and with it the stream behind the response:
 * after no byte has moved for `timeoutMs` milliseconds, and before twice that time. A slow client that keeps reading is
 * left alone. Call it once per response, before its content or after its end. Bytes that the operating system has
 * accepted are not observed.
 */
export function enforceWriteTimeout(response: ServerResponse, timeoutMs = WRITE_TIMEOUT_MS) {
  // An internal request of the service has no connection.
  if (isInjection(response)) return;
  const { socket } = response;
  if (response.writableFinished || (socket && response.writableEnded && socket.writableLength === 0)) return;
  response.setTimeout(timeoutMs, () => void response.destroy());
  // Runs before Node sets its own timeout for the next request.
  response.prependOnceListener('finish', () => void response.socket?.setTimeout(0));
}
