import type { Socket } from 'node:net';
import type { CachedResponse, PlainRequest } from '../../http/server/first-handler.js';
import { queuedBytes } from '../../http/server/queued-bytes.js';

type Unread = {
  readonly request: PlainRequest;
  readonly answer: CachedResponse;
  readonly at: number;
  readonly began: number;
};

/** Tells of the responses of one connection, each when its client has taken all of it, or is gone. */
export class UnreadResponses {
  /** In their order; null as long as the client is as fast as we are, as nearly all of them are. */
  #unread: Unread[] | null = null;
  /** Bytes that were not sent yet when they were counted last. */
  #queued = 0;
  #peer: string | undefined;

  constructor(private readonly socket: Socket) {}

  /** Of a response that was written just now. */
  report(request: PlainRequest, answer: CachedResponse) {
    const { socket } = this;
    if (this.#unread !== null) this.look();
    // A connection that is closed has no address any more.
    this.#peer ??= socket.remoteAddress ?? '';
    // No clock is read for most of them: that alone would be a hundredth of what they cost.
    if (socket.writableLength === 0)
      return answer.onSent?.(request, answer.status, lengthOf(answer), null, 0, this.#peer);
    this.#unread ??= [];
    this.#unread.push({ request, answer, at: Date.now(), began: performance.now() });
    this.#queued = queuedBytes(socket);
  }

  /** Counts what is not sent yet. To be called when it may have become less. */
  look() {
    if (this.#unread === null) return;
    this.#queued = queuedBytes(this.socket);
    if (this.#queued === 0) this.settle();
  }

  /** Nothing more is known of them: the connection is closed, or another’s now. */
  settle() {
    const unread = this.#unread;
    if (unread === null) return;
    this.#unread = null;
    const sent = this.#sentOf(unread);
    for (const [n, { request, answer, at, began }] of unread.entries())
      answer.onSent?.(request, answer.status, sent[n] ?? 0, at, performance.now() - began, this.#peer ?? '');
  }

  /** What was sent of the content of each: what is queued is the end of the last. */
  #sentOf(unread: readonly Unread[]): number[] {
    let queued = this.#queued;
    return unread
      .toReversed()
      .map(({ answer }) => {
        const length = lengthOf(answer);
        const sent = Math.max(0, length - queued);
        queued = Math.max(0, queued - length - answer.head.length);
        return sent;
      })
      .toReversed();
  }
}

const lengthOf = ({ body }: CachedResponse) => body?.length ?? 0;
