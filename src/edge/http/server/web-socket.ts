import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Reports whether a request is a WebSocket handshake (RFC 6455 section 4.1). An offer of another protocol, such as
 * `h2c` from `curl --http2`, is ignored (RFC 9110 section 7.8).
 */
export const wantsWebSocket = ({ upgrade }: IncomingHttpHeaders): boolean =>
  upgrade?.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket') ?? false;

/** A connection that may become a WebSocket. `rest` contains the data that arrived after the head. */
export type Upgrade = { readonly socket: Socket; readonly rest: Buffer };

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

export const offerUpgrade = (request: IncomingMessage, upgrade: Upgrade) => void upgrades.set(request, upgrade);

/** Returns the upgrade of a request, or null if the request cannot become a WebSocket. */
export const findUpgrade = (request: IncomingMessage): Upgrade | null => upgrades.get(request) ?? null;
