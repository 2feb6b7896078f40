import type { ServerAddress } from '../../../kernel/ports/served-program.js';
import type { ResponseReceiver } from './response-receiver.js';

/** Timeouts of a site server, in milliseconds. */
export type ServerTimeouts = {
  /** Until the head of the response has arrived, and until the server reads more of the request. */
  readonly firstByte: number;
  /** Between two pieces of a response body; a multiple of `firstByte`. */
  readonly idle: number;
};

/** docs/interface/servers.md, "Limits". nginx defaults to 60 s for both. */
export const SERVER_TIMEOUTS: ServerTimeouts = { firstByte: 60_000, idle: 120_000 };

/** Maximum number of idle connections to one site server, and to all of them. */
export const MAX_IDLE = 128;
export const MAX_IDLE_IN_ALL = 1_024;

export type SentRequest = { readonly method: string; readonly body: 'none' | 'of a known length' | 'in chunks' };

/** A connection to a site server, for one request at a time. */
export type ServerConnection = {
  /** Called when more of the body can be written. */
  onDrain: (() => void) | null;
  /**
   * Sends the request head, including framing fields and the final empty line. `receiver` gets the response or one
   * fault.
   */
  send(head: string, sent: SentRequest, receiver: ResponseReceiver): void;
  /** Sends a piece of the body. Returns false if the next one must wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  /** The request body is complete. */
  finishRequest(): void;
  /** The receiver accepts more of the response. */
  resume(): void;
  /** Closes the connection without notifying the receiver. */
  destroy(): void;
};

/** Connections to site servers: through Node’s HTTP client, or through the fast path (STELE_FAST_PATH). */
export abstract class ServerConnectionPool {
  /** A connection that may have been used before. */
  abstract take(address: ServerAddress): ServerConnection;
  /**
   * A new connection, for a request that cannot be repeated. `canSwitchProtocol`: the server may switch protocols on
   * it.
   */
  abstract open(address: ServerAddress, canSwitchProtocol: boolean): ServerConnection;
  /** Closes idle connections. */
  abstract close(): void;
}

/** Returns a key that is the same for all addresses of one server. */
export const addressKey = (address: ServerAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;

/**
 * Until a server listens, its sandbox responds with this byte (`src/sandbox/inside/beside.ts`). No HTTP response begins
 * with it.
 */
export const NOT_LISTENING = 0;
