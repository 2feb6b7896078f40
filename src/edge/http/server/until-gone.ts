import type { ServerResponse } from 'node:http';
import { Refusal } from '../../../kernel/refusal.js';

/** Returns a signal that aborts if the client disconnects before the response was sent. */
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
