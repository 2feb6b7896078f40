import type { Socket } from 'node:net';
import type { ResponseHead } from './response-head.js';

/**
 * The reason why there is no complete response. `closed unanswered`: a reused connection closed without a byte, as
 * happens when the server closes idle connections; the request can be repeated on another connection if that is
 * harmless. `visitor silent`: the rest of the request did not arrive.
 */
export type ResponseFault = {
  readonly kind: 'unreachable' | 'closed' | 'closed unanswered' | 'malformed' | 'timeout' | 'visitor silent';
  readonly detail: string;
};

/**
 * The state of bytes that were passed on. `sent`: their buffer may be overwritten. `queued`: it must not be
 * overwritten. `full`: like `queued`, and nothing more may be passed on until `resume` is called.
 */
export type Taken = 'sent' | 'queued' | 'full';

/** Receives one response. */
export type ResponseReceiver = {
  /** Called once, before the body. */
  onHead(head: ResponseHead): void;
  /** The return value says whether the buffer may be overwritten. */
  onBody(bytes: Buffer): Taken;
  /** Everything that has arrived was passed on, so nothing should be held back for long. */
  onPause(): void;
  onEnd(): void;
  /**
   * The server switches to another protocol, and the connection now belongs to the receiver. `rest` arrived with the
   * head.
   */
  onSwitch(head: ResponseHead, socket: Socket, rest: Buffer): void;
  /** Called instead of any further method. The connection no longer exists. */
  onFault(fault: ResponseFault): void;
};

/** Faults that both kinds of connections report. */
export const FAULTS = {
  closed: { kind: 'closed', detail: 'The server closed the connection before its response was complete.' },
  closedUnanswered: { kind: 'closed unanswered', detail: 'The server closed the connection without a response.' },
  unreachable: { kind: 'unreachable', detail: 'The server is not accepting connections.' },
  silent: { kind: 'timeout', detail: 'The server did not respond in time.' },
  unsent: { kind: 'visitor silent', detail: 'The rest of the request did not arrive.' },
} as const satisfies Record<string, ResponseFault>;

/** Messages about responses that are not HTTP, for both kinds of connections. */
export const MALFORMED = {
  tooLong: 'The head of the server’s response is too long.',
  tooManyInterim: 'The server sent too many interim responses (1xx).',
  wrongProtocol: 'The server switched to a protocol that was not requested.',
} as const;
