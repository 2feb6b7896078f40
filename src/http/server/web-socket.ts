import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request wants to go on as a WebSocket (RFC 6455 section 4.1). Offers of other protocols, such as `h2c` from
 * `curl --http2`, are left unanswered as RFC 9110 section 7.8 allows: such a request is an ordinary one.
 */
export const wantsWebSocket = ({ upgrade }: IncomingHttpHeaders): boolean =>
  upgrade?.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket') ?? false;
