import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ResponseFields } from '../../http/proxy/response-fields.js';
import type { Taken } from '../../http/proxy/response-receiver.js';
import type { SinkEvents } from '../../http/proxy/visitor-sink.js';
import type { DirectSink, PlainRequest } from '../../http/server/first-handler.js';
import { queuedBytes } from '../../http/server/queued-bytes.js';
import { type Writer, writeAtEndOfTurn } from '../end-of-turn.js';
import type { ResponseCache } from './response-cache.js';

/** Content up to this size is copied into the same buffer as its head, because one write costs less than two. */
const MAX_COPIED_BYTES = 4_096;

const CLOSE = 'Connection: close\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Writes a response directly to the socket, without Node’s response object. */
export class DirectResponse implements DirectSink, Writer {
  events: SinkEvents | null = null;
  status = 0;
  #head = '';
  #waiting = '';
  #isChunked = false;
  #hasContent = true;
  #written = 0;
  #isOver = false;
  #isSlow = false;

  constructor(
    readonly request: PlainRequest,
    private readonly socket: Socket,
    private readonly responses: ResponseCache,
    private readonly isLast: boolean,
    readonly signal: AbortSignal,
    /** Called once, when a write fills the socket’s buffer. */
    private readonly onSlow: () => void,
    private readonly onOver: () => void,
  ) {}

  get peer(): string {
    return this.socket.remoteAddress ?? '';
  }

  get hasBegun(): boolean {
    return this.status !== 0 && this.#head === '';
  }

  /** The number of content bytes, including framing, that are known to have been sent. */
  get sentBytes(): number {
    return Math.max(0, this.#written - queuedBytes(this.socket));
  }

  head(status: number, { lines }: ResponseFields, length: number | null, requestId: string) {
    this.status = status;
    this.#hasContent = this.request.method !== 'HEAD' && status !== 204 && status !== 304;
    this.#isChunked = this.#hasContent && length === null;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}x-request-id: ${requestId}\r\n`;
    if (length !== null) text += `content-length: ${length}\r\n`;
    else if (this.#isChunked) text += 'transfer-encoding: chunked\r\n';
    this.#head = text + this.responses.date + (this.isLast ? CLOSE : this.responses.ending);
  }

  write(bytes: Buffer): Taken {
    const { socket } = this;
    if (socket.destroyed || !this.#hasContent) return 'sent';
    if (this.#waiting !== '') this.writeNow();
    this.#written += bytes.length;
    const goesOn = this.#isChunked ? this.#writeChunk(bytes) : this.#writeContent(bytes);
    if (socket.writableLength === 0) return 'sent';
    if (goesOn) return 'queued';
    if (!this.#isSlow) this.onSlow();
    this.#isSlow = true;
    return 'full';
  }

  #writeChunk(bytes: Buffer): boolean {
    const { socket } = this;
    socket.cork();
    socket.write(`${this.#takeHead()}${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const goesOn = socket.write('\r\n', 'latin1');
    socket.uncork();
    return goesOn;
  }

  #writeContent(bytes: Buffer): boolean {
    const { socket } = this;
    const head = this.#takeHead();
    if (head === '') return socket.write(bytes);
    if (bytes.length <= MAX_COPIED_BYTES) {
      this.#waiting = head + bytes.toString('latin1');
      writeAtEndOfTurn(this);
      return true;
    }
    socket.cork();
    socket.write(head, 'latin1');
    const goesOn = socket.write(bytes);
    socket.uncork();
    return goesOn;
  }

  flush() {
    if (this.#head !== '' && !this.socket.destroyed) this.socket.write(this.#takeHead(), 'latin1');
  }

  end() {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isChunked) this.socket.write(this.#takeHead() + LAST_CHUNK, 'latin1');
    else this.flush();
    // If text has not been written yet, `writeNow` calls `onOver` after writing it. Otherwise, the next response could
    // overtake this one.
    if (this.#waiting === '') this.onOver();
  }

  writeNow() {
    const text = this.#waiting;
    this.#waiting = '';
    if (text === '' || this.socket.destroyed) return;
    this.socket.write(text, 'latin1');
    if (this.#isOver) this.onOver();
  }

  abort() {
    this.#isOver = true;
    this.socket.destroy();
  }

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
