import type { ServerAddress } from '../../../kernel/ports/served-program.js';
import type { ResponseReceiver } from './response-receiver.js';

/** Timeouts for a site server, in milliseconds. */
export type ServerTimeouts = {
  /** Maximum wait for the head of the response, and for the server to read more of the request. */
  readonly firstByte: number;
  /** Maximum time between two pieces of a response body. Must be a multiple of `firstByte`. */
  readonly idle: number;
};

/** See docs/interface/servers.md, "Limits". nginx defaults to 60 s for both. */
export const SERVER_TIMEOUTS: ServerTimeouts = { firstByte: 60_000, idle: 120_000 };

/** Maximum number of idle connections to one site server, and to all of them. */
export const MAX_IDLE = 128;
export const MAX_IDLE_IN_ALL = 1_024;

export type SentRequest = { readonly method: string; readonly body: 'none' | 'of a known length' | 'in chunks' };

/** A connection to a site server. Handles one request at a time. */
export type ServerConnection = {
  /** Called when the connection can accept more of the body. */
  onDrain: (() => void) | null;
  /**
   * Sends the request head, including framing fields and the final empty line. `receiver` gets either the response or
   * one fault.
   */
  send(head: string, sent: SentRequest, receiver: ResponseReceiver): void;
  /** Sends a piece of the body. If it returns false, wait for `onDrain` before sending the next piece. */
  write(bytes: Buffer): boolean;
  /** Call this after the last piece of the request body. */
  finishRequest(): void;
  /** Called when the receiver can accept more of the response. */
  resume(): void;
  /** Closes the connection without notifying the receiver. */
  destroy(): void;
};

/**
 * Pool of connections to site servers. Implemented with Node’s HTTP client and with the fast path (STELE_FAST_PATH).
 */
export abstract class ServerConnectionPool {
  /** Returns a connection, which may have been used before. */
  abstract take(address: ServerAddress): ServerConnection;
  /**
   * Returns a new connection, for a request that cannot be repeated. `canSwitchProtocol`: the server may switch
   * protocols on it.
   */
  abstract open(address: ServerAddress, canSwitchProtocol: boolean): ServerConnection;
  /** Closes all idle connections. */
  abstract close(): void;
}

/** Returns a key that is the same for all addresses of one server. */
export const addressKey = (address: ServerAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;

/**
 * Until a server listens, its sandbox responds with this byte (`src/sandbox/inside/beside.ts`). HTTP responses never
 * begin with it.
 */
export const NOT_LISTENING = 0;
