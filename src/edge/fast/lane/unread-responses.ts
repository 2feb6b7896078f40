import type { Socket } from 'node:net';
import type { CachedResponse, PlainRequest } from '../../http/server/first-handler.js';
import { queuedBytes } from '../../http/server/queued-bytes.js';

type Unread = {
  readonly request: PlainRequest;
  readonly answer: CachedResponse;
  readonly at: number;
  readonly began: number;
};

/** Reports each response of a connection once its client has read all of it or has disconnected. */
export class UnreadResponses {
  /** Unread responses, oldest first. Null while the client keeps up, as nearly all clients do. */
  #unread: Unread[] | null = null;
  #queued = 0;
  #peer: string | undefined;

  constructor(private readonly socket: Socket) {}

  report(request: PlainRequest, answer: CachedResponse) {
    const { socket } = this;
    if (this.#unread !== null) this.look();
    // Read the address now, because a closed connection no longer has an address.
    this.#peer ??= socket.remoteAddress ?? '';
    // Don’t read the clock here, because it would increase the cost of most responses by 1 %.
    if (socket.writableLength === 0)
      return answer.onSent?.(request, answer.status, lengthOf(answer), null, 0, this.#peer);
    this.#unread ??= [];
    this.#unread.push({ request, answer, at: Date.now(), began: performance.now() });
    this.#queued = queuedBytes(socket);
  }

  /** Must be called when the number of unsent bytes may have decreased. */
  look() {
    if (this.#unread === null) return;
    this.#queued = queuedBytes(this.socket);
    if (this.#queued === 0) this.settle();
  }

  /** Reports all unread responses in their current state. Called after the connection was closed or handed over. */
  settle() {
    const unread = this.#unread;
    if (unread === null) return;
    this.#unread = null;
    const sent = this.#sentOf(unread);
    for (const [n, { request, answer, at, began }] of unread.entries())
      answer.onSent?.(request, answer.status, sent[n] ?? 0, at, performance.now() - began, this.#peer ?? '');
  }

  /**
   * Returns the number of content bytes sent for each response. Responses are sent in order, so all unsent bytes belong
   * to the end of the last ones.
   */
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
