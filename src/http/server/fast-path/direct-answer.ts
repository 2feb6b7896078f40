import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerSink, SinkEvents } from '../../proxy/answer-sink.js';
import { queuedBytes } from '../queued-bytes.js';
import type { PlainRequest } from './plain-request.js';
import type { ResponseCache } from './response-cache.js';

/** Content up to this size is copied behind its head, in bytes: one write costs less than two. */
const COPIED_UP_TO = 4_096;

const CLOSE = 'Connection: close\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Begins to answer a plain request as its answer comes, from whoever makes it. */
export type Forward = (answer: DirectAnswer) => void;

/** An answer that comes in pieces to a plain request, written past Node’s own objects. */
export class DirectAnswer implements AnswerSink {
  events: SinkEvents | null = null;
  status = 0;
  #head = '';
  #isChunked = false;
  #written = 0;
  #isOver = false;

  constructor(
    readonly request: PlainRequest,
    private readonly socket: Socket,
    private readonly responses: ResponseCache,
    private readonly isLast: boolean,
    /** Aborts when the visitor is gone. */
    readonly signal: AbortSignal,
    private readonly onOver: () => void,
  ) {}

  get peer(): string {
    return this.socket.remoteAddress ?? '';
  }

  get hasBegun(): boolean {
    return this.status !== 0;
  }

  /** Bytes of content that are known to have gone out, framing included. */
  get sentBytes(): number {
    return Math.max(0, this.#written - queuedBytes(this.socket));
  }

  head(status: number, fields: readonly string[], length: number | null) {
    this.status = status;
    const hasContent = this.request.method !== 'HEAD' && status !== 204 && status !== 304;
    this.#isChunked = hasContent && length === null;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
    if (length !== null) text += `content-length: ${length}\r\n`;
    else if (this.#isChunked) text += 'transfer-encoding: chunked\r\n';
    this.#head = text + this.responses.date + (this.isLast ? CLOSE : this.responses.ending);
  }

  write(bytes: Buffer): boolean {
    const { socket } = this;
    if (socket.destroyed) return true;
    this.#written += bytes.length;
    const head = this.#takeHead();
    if (this.#isChunked) {
      socket.cork();
      socket.write(`${head}${bytes.length.toString(16)}\r\n`, 'latin1');
      socket.write(bytes);
      const goesOn = socket.write('\r\n', 'latin1');
      socket.uncork();
      return goesOn;
    }
    if (head === '') return socket.write(bytes);
    if (bytes.length <= COPIED_UP_TO) return socket.write(head + bytes.toString('latin1'), 'latin1');
    socket.cork();
    socket.write(head, 'latin1');
    const goesOn = socket.write(bytes);
    socket.uncork();
    return goesOn;
  }

  flush() {
    if (this.#head !== '') this.socket.write(this.#takeHead(), 'latin1');
  }

  end() {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isChunked) this.socket.write(this.#takeHead() + LAST_CHUNK, 'latin1');
    else this.flush();
    this.onOver();
  }

  abort() {
    this.#isOver = true;
    this.socket.destroy();
  }

  /** The connection is closed. */
  gone() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events?.onGone();
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }
}
