import type { ServerResponse } from 'node:http';
import { Refusal } from '../../../kernel/refusal.js';

/**
 * A signal that aborts when the connection is closed before the answer was sent: its caller has gone away, which is no
 * fault of the server.
 */
export function untilGone(response: ServerResponse): AbortSignal {
  const going = new AbortController();
  const gone = () => {
    if (!response.writableFinished)
      going.abort(new Refusal('invalid_request', 'The client has closed the connection.'));
  };
  if (response.destroyed) gone();
  else response.once('close', gone);
  return going.signal;
}
