import type { ServerAddress } from '../../../kernel/ports/served-deploy.js';
import type { ResponseReceiver } from './response-receiver.js';

/** Timeouts for a site server, in milliseconds. */
export type ServerTimeouts = {
  /** Maximum wait for the head of the response, and for the server to read more of the request. */
  readonly firstByte: number;
  /** Maximum time between two pieces of a response body. Must be a multiple of `firstByte`. */
  readonly idle: number;
};

/**
 * See docs/interface/servers.md, "Limits". nginx has one timeout instead of `firstByte` and `idle`:
 * `proxy_read_timeout`, which is 60 s by default.
 */
export const SERVER_TIMEOUTS: ServerTimeouts = { firstByte: 60_000, idle: 120_000 };

/** Maximum number of idle connections to one site server, and to all of them. */
export const MAX_IDLE = 128;
export const MAX_IDLE_IN_ALL = 1_024;

export type SentRequest = { readonly method: string; readonly body: 'none' | 'of a known length' | 'in chunks' };

/** A connection to a site server. It handles one request at a time. */
export type ServerConnection = {
  onDrain: (() => void) | null;
  /** Sends a request. `head` ends with the empty line. `receiver` gets either the response or one fault. */
  send(head: string, sent: SentRequest, receiver: ResponseReceiver): void;
  /** Sends a piece of the body. If this returns false, wait for `onDrain` before sending the next piece. */
  write(bytes: Buffer): boolean;
  finishRequest(): void;
  /** Called when the receiver can accept more of the response. */
  resume(): void;
  /** Closes the connection without notifying the receiver. */
  destroy(): void;
};

/** A pool of connections to site servers, implemented with Node’s HTTP client and with the fast path. */
export abstract class ServerConnectionPool {
  /** Returns a connection, which may have been used before. */
  abstract take(address: ServerAddress): ServerConnection;
  /** Opens a new connection for a request that must not be repeated or may switch protocols. */
  abstract open(address: ServerAddress, canSwitchProtocol: boolean): ServerConnection;
  abstract close(): void;
}

export const addressKey = (address: ServerAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;

/**
 * The sandbox sends this byte until the server inside it listens (`src/sandbox/inside/beside.ts`). An HTTP response
 * never begins with this byte.
 */
export const NOT_LISTENING = 0;
