import type { ProgramAddress } from '../../../kernel/ports/served-program.js';
import type { AnswerReceiver } from './answer-receiver.js';

/** How long a site server may take, in milliseconds. */
export type ServerTimeouts = {
  /** Until the head of its response has arrived, and until it takes more of a request. */
  readonly firstByte: number;
  /** Between two pieces of a body: a multiple of `firstByte`. */
  readonly idle: number;
};

/** docs/interface/servers.md, "Limits". nginx waits 60 s for either. */
export const SERVER_TIMEOUTS: ServerTimeouts = { firstByte: 60_000, idle: 120_000 };

/** Idle connections that are kept to one site server, and to all of them. */
export const MAX_IDLE = 128;
export const MAX_IDLE_IN_ALL = 1_024;

export type SentRequest = { readonly method: string; readonly body: 'none' | 'of a known length' | 'in chunks' };

/** A connection to a site server, for one request at a time. */
export type ServerConnection = {
  /** Called when more of a body may be written. */
  onDrain: (() => void) | null;
  /**
   * Sends a request: its line and fields with those of its framing, each with its line break, and the empty line.
   * `receiver` gets the response, or one fault.
   */
  send(head: string, sent: SentRequest, receiver: AnswerReceiver): void;
  /** Sends a piece of the body; false where the next is to wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  /** The body is complete. */
  finishRequest(): void;
  /** The receiver takes more of the response. */
  resume(): void;
  /** Ends it without a word to the receiver. */
  destroy(): void;
};

/** Connections to site servers: by Node’s HTTP client, or by the fast path’s own (STELE_FAST_PATH). */
export abstract class ServerConnections {
  /** One that may have been used before. */
  abstract take(address: ProgramAddress): ServerConnection;
  /** A new one, for a request that cannot be sent again. `canSwitchProtocol`: it may go on in another protocol. */
  abstract open(address: ProgramAddress, canSwitchProtocol: boolean): ServerConnection;
  /** Closes those that are idle. */
  abstract close(): void;
}

/** What a server is known by: two addresses with the same key are the same server. */
export const addressKey = (address: ProgramAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;

/** Before a server listens, its sandbox responds with this byte (`src/sandbox/inside/beside.ts`), with which no response begins. */
export const NOT_LISTENING = 0;
