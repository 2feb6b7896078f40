import type { Socket } from 'node:net';
import type { ResponseHead } from './response-head.js';

/**
 * The reason for an incomplete response. `closed unanswered`: the server closed a reused connection before it sent any
 * byte, as servers do with idle connections. `visitor silent`: the rest of the request did not arrive.
 */
export type ResponseFault = {
  readonly kind: 'unreachable' | 'closed' | 'closed unanswered' | 'malformed' | 'timeout' | 'visitor silent';
  readonly detail: string;
};

/**
 * What happened to bytes that were passed on. `sent`: their buffer may be overwritten. `queued`: their buffer is still
 * needed. `full`: like `queued`, but nothing more may be passed on until `resume` is called.
 */
export type Taken = 'sent' | 'queued' | 'full';

export type ResponseReceiver = {
  /** Called once, before the body. */
  onHead(head: ResponseHead): void;
  onBody(bytes: Buffer): Taken;
  /** Called when no further bytes are available for now, so that the receiver does not hold anything back for long. */
  onPause(): void;
  onEnd(): void;
  /**
   * Called when the server switches protocols. The connection then belongs to the receiver. `rest` contains the bytes
   * after the head.
   */
  onSwitch(head: ResponseHead, socket: Socket, rest: Buffer): void;
  /** Called last, if the response fails. The connection no longer exists. */
  onFault(fault: ResponseFault): void;
};

export const FAULTS = {
  closed: { kind: 'closed', detail: 'The server closed the connection before its response was complete.' },
  closedUnanswered: { kind: 'closed unanswered', detail: 'The server closed the connection without a response.' },
  unreachable: { kind: 'unreachable', detail: 'The server is not accepting connections.' },
  silent: { kind: 'timeout', detail: 'The server did not respond in time.' },
  unsent: { kind: 'visitor silent', detail: 'The rest of the request did not arrive.' },
} as const satisfies Record<string, ResponseFault>;

export const MALFORMED = {
  tooLong: 'The head of the server’s response is too long.',
  tooManyInterim: 'The server sent too many interim responses (1xx).',
  wrongProtocol: 'The server switched to a protocol that was not requested.',
} as const;
