import type { Socket } from 'node:net';
import type { AnswerHead } from '../../fast/servers/read-answer-head.js';

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
