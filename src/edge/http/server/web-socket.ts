import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether a request is a WebSocket handshake (RFC 6455 section 4.1). Offers of other protocols, such as `h2c` from
 * `curl --http2`, are ignored, as RFC 9110 section 7.8 allows: such a request is an ordinary one.
 */
export const wantsWebSocket = ({ upgrade }: IncomingHttpHeaders): boolean =>
  upgrade?.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket') ?? false;

/** The connection of a request that may become a WebSocket, and the data after its head. */
export type Upgrade = { readonly socket: Socket; readonly rest: Buffer };

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

export const offerUpgrade = (request: IncomingMessage, upgrade: Upgrade) => void upgrades.set(request, upgrade);

/** Null for a request that cannot become a WebSocket. */
export const findUpgrade = (request: IncomingMessage): Upgrade | null => upgrades.get(request) ?? null;
