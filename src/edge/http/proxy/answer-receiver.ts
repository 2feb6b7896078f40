import type { Socket } from 'node:net';
import type { AnswerHead } from './answer-head.js';

/**
 * Why there is no whole answer. `closed unanswered`: a connection that was used before ended without a byte, as happens
 * when the program closes what it has not used for a while; a request that is harmless to repeat goes to another one.
 * `visitor silent`: the rest of the request does not come.
 */
export type AnswerFault = {
  readonly kind: 'unreachable' | 'closed' | 'closed unanswered' | 'malformed' | 'timeout' | 'visitor silent';
  readonly detail: string;
};

/**
 * What became of bytes that were given: `sent`, and not needed any more; `queued`, so that they must be left as they are; or
 * `full`: the same until `resume` is called, and nothing more is to come before.
 */
export type Taken = 'sent' | 'queued' | 'full';

/** Who receives one answer. */
export type AnswerReceiver = {
  /** Before its body; once. */
  onHead(head: AnswerHead): void;
  /** The bytes are overwritten as `Taken` says. */
  onBody(bytes: Buffer): Taken;
  /** All that has arrived so far was given: nothing is to be held back for long. */
  onPause(): void;
  onEnd(): void;
  /** The program goes on in another protocol: from now on the connection is the receiver’s. `rest` came with the head. */
  onSwitch(head: AnswerHead, socket: Socket, rest: Buffer): void;
  /** In the place of all further calls. The connection is gone. */
  onFault(fault: AnswerFault): void;
};

/** Faults that either kind of connection reports. */
export const FAULTS = {
  closed: { kind: 'closed', detail: 'The server closed the connection before its response was complete.' },
  closedUnanswered: { kind: 'closed unanswered', detail: 'The server closed the connection without a response.' },
  unreachable: { kind: 'unreachable', detail: 'The server is not accepting connections.' },
  silent: { kind: 'timeout', detail: 'The server did not respond in time.' },
  unsent: { kind: 'visitor silent', detail: 'The rest of the request did not arrive.' },
} as const satisfies Record<string, AnswerFault>;

/** What is said of responses that are not HTTP, by either kind of connection. */
export const MALFORMED = {
  tooLong: 'The head of the server’s response is too long.',
  tooManyInterim: 'The server sent too many interim responses (1xx).',
  wrongProtocol: 'The server switched to a protocol that was not requested.',
} as const;
