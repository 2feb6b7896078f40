import type { Socket } from 'node:net';
import { queuedBytes } from '../queued-bytes.js';
import type { CachedResponse } from './cached-response.js';
import type { PlainRequest } from './plain-request.js';

type Unread = {
  readonly request: PlainRequest;
  readonly answer: CachedResponse;
  readonly at: number;
  readonly began: number;
  readonly peer: string;
};

/** Tells of the responses of one connection, each when its client has taken all of it, or is gone. */
export class UnreadResponses {
  /** In their order; null as long as clients are as fast as we are, as nearly all of them are. */
  #unread: Unread[] | null = null;
  /** Bytes that were not sent yet when they were counted last. */
  #queued = 0;

  constructor(private readonly socket: Socket) {}

  /** Of a response that was written just now; `began` is of `performance.now()`. */
  report(request: PlainRequest, answer: CachedResponse, began: number) {
    const { socket } = this;
    if (this.#unread !== null) this.look();
    const at = Date.now();
    if (socket.writableLength > 0) {
      this.#unread ??= [];
      this.#unread.push({ request, answer, at, began, peer: socket.remoteAddress ?? '' });
      this.#queued = queuedBytes(socket);
    } else
      answer.onSent?.(
        request,
        answer.status,
        lengthOf(answer),
        at,
        performance.now() - began,
        socket.remoteAddress ?? '',
      );
  }

  /** Counts what is not sent yet. To be called when it may have become less. */
  look() {
    if (this.#unread === null) return;
    this.#queued = queuedBytes(this.socket);
    if (this.#queued === 0) this.settle();
  }

  /** From now on nothing is known of them: the connection is closed, or another’s. */
  settle() {
    const unread = this.#unread;
    if (unread === null) return;
    this.#unread = null;
    let queued = this.#queued;
    const bytesOf = new Map<Unread, number>();
    for (const each of unread.toReversed()) {
      const length = lengthOf(each.answer);
      bytesOf.set(each, Math.max(0, length - queued));
      queued = Math.max(0, queued - length - each.answer.head.length);
    }
    for (const [{ request, answer, at, began, peer }, bytes] of [...bytesOf].toReversed())
      answer.onSent?.(request, answer.status, bytes, at, performance.now() - began, peer);
  }
}

const lengthOf = ({ body }: CachedResponse) => body?.length ?? 0;
