import type { Socket } from 'node:net';
import type { ResponseHead } from './response-head.js';

/**
 * Why there is no complete response. `closed unanswered`: a reused connection was closed before any byte arrived, as
 * happens when the server closes idle connections; if repeating the request is harmless, it can be sent on another
 * connection. `visitor silent`: the rest of the request did not arrive.
 */
export type ResponseFault = {
  readonly kind: 'unreachable' | 'closed' | 'closed unanswered' | 'malformed' | 'timeout' | 'visitor silent';
  readonly detail: string;
};

/**
 * What has happened to bytes that were passed on. `sent`: their buffer may be overwritten. `queued`: it must not be
 * overwritten. `full`: like `queued`, and nothing more may be passed on until `resume` is called.
 */
export type Taken = 'sent' | 'queued' | 'full';

/** Receives one response. */
export type ResponseReceiver = {
  /** Called once, before the body. */
  onHead(head: ResponseHead): void;
  /** Returns whether the buffer may be overwritten. */
  onBody(bytes: Buffer): Taken;
  /** Everything that has arrived was passed on, so nothing should be held back for long. */
  onPause(): void;
  onEnd(): void;
  /**
   * Called when the server switches to another protocol. The connection then belongs to the receiver. `rest` arrived
   * together with the head.
   */
  onSwitch(head: ResponseHead, socket: Socket, rest: Buffer): void;
  /** Called when the response fails; no other method is called after it. The connection no longer exists. */
  onFault(fault: ResponseFault): void;
};

/** Faults that both kinds of connection report. */
export const FAULTS = {
  closed: { kind: 'closed', detail: 'The server closed the connection before its response was complete.' },
  closedUnanswered: { kind: 'closed unanswered', detail: 'The server closed the connection without a response.' },
  unreachable: { kind: 'unreachable', detail: 'The server is not accepting connections.' },
  silent: { kind: 'timeout', detail: 'The server did not respond in time.' },
  unsent: { kind: 'visitor silent', detail: 'The rest of the request did not arrive.' },
} as const satisfies Record<string, ResponseFault>;

/** Messages about responses that are not HTTP, for both kinds of connection. */
export const MALFORMED = {
  tooLong: 'The head of the server’s response is too long.',
  tooManyInterim: 'The server sent too many interim responses (1xx).',
  wrongProtocol: 'The server switched to a protocol that was not requested.',
} as const;
