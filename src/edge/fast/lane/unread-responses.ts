import type { Socket } from 'node:net';
import type { CachedResponse, PlainRequest } from '../../http/server/first-handler.js';
import { queuedBytes } from '../../http/server/queued-bytes.js';

type Unread = {
  readonly request: PlainRequest;
  readonly answer: CachedResponse;
  readonly at: number;
  readonly began: number;
};

/** Reports each response of one connection when its client has read all of it or has disconnected. */
export class UnreadResponses {
  /** Responses in order; null while the client keeps up, as nearly all do. */
  #unread: Unread[] | null = null;
  /** Bytes that were unsent at the last count. */
  #queued = 0;
  #peer: string | undefined;

  constructor(private readonly socket: Socket) {}

  /** Reports a response that has just been written. */
  report(request: PlainRequest, answer: CachedResponse) {
    const { socket } = this;
    if (this.#unread !== null) this.look();
    // Read in advance, because a closed connection has no address.
    this.#peer ??= socket.remoteAddress ?? '';
    // Reading a clock would add a hundredth to the cost of most responses.
    if (socket.writableLength === 0)
      return answer.onSent?.(request, answer.status, lengthOf(answer), null, 0, this.#peer);
    this.#unread ??= [];
    this.#unread.push({ request, answer, at: Date.now(), began: performance.now() });
    this.#queued = queuedBytes(socket);
  }

  /** Updates the number of unsent bytes. Call it when they may have decreased. */
  look() {
    if (this.#unread === null) return;
    this.#queued = queuedBytes(this.socket);
    if (this.#queued === 0) this.settle();
  }

  /** Reports all responses as they are: the connection is closed, or was handed over. */
  settle() {
    const unread = this.#unread;
    if (unread === null) return;
    this.#unread = null;
    const sent = this.#sentOf(unread);
    for (const [n, { request, answer, at, began }] of unread.entries())
      answer.onSent?.(request, answer.status, sent[n] ?? 0, at, performance.now() - began, this.#peer ?? '');
  }

  /** Returns the bytes of content sent for each response, given that queued bytes are the end of the last ones. */
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
