import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';

/** Marks the end of a head, and of a chunked body (RFC 9112 sections 2.1 and 7.1). */
const END = '\r\n\r\n';

/**
 * Minimum size of the pieces in which a body is parsed, whatever its content. Requests that follow the body in the same
 * piece begin early, but there are fewer than sixty of them, because each has at least eighteen bytes.
 */
const BODY_PIECE = 1_024;

/** Maximum size of the pieces of a chunked body: Node’s parser needs 4 µs for a chunk of one byte. */
const CHUNKS_PIECE = 2_048;

/** Number of bytes of an unfinished head that are kept: enough for the first fields, including Host. */
const REMEMBERED = 4_096;

type OpenExchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * Makes Node’s HTTP server parse each request only after the previous requests have been answered. By itself, Node
 * parses everything that has arrived and begins every request, even if many responses are waiting for a client that
 * does not read them (decision 0058).
 */
export class RequestReader {
  readonly #parse: (bytes: Buffer) => void;
  /** Requests whose responses have not been closed, oldest first. */
  readonly #open: OpenExchange[] = [];
  /** Bytes after the last request that was parsed. */
  #pending: Buffer | null = null;
  /** The beginning of a head that is arriving in several pieces. */
  #begun: Buffer | null = null;
  #isPaused = false;
  #isOver = false;
  #onAnswered: (() => void) | null = null;

  /** The socket must already belong to Node’s server, and must be paused. */
  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
  ) {
    // Node’s server has one listener. Remove it with `off`, because `removeAllListeners` leaves half a KiB on the
    // socket.
    const [parse] = socket.listeners('data');
    if (parse) socket.off('data', parse as () => void);
    socket.on('data', this.#onData);
    this.#parse = (bytes) => void (parse && Reflect.apply(parse, socket, [bytes]));
  }

  /** Must be called with each request that was parsed. */
  track(request: IncomingMessage, response: ServerResponse) {
    this.#begun = null;
    const exchange = { request, response };
    this.#open.push(exchange);
    response.once('close', () => {
      this.#open.splice(this.#open.indexOf(exchange), 1);
      // Wait for a later turn of the event loop, so that a client with many requests does not delay the others.
      if (this.#open.length > 0 || !(this.#pending || this.#onAnswered)) return;
      setImmediate(() => this.turns.take(this.#goOn));
    });
  }

  /** Returns the beginning of an incomplete head, or null if no head is arriving in several pieces. */
  get begunHead(): Buffer | null {
    return this.#begun;
  }

  /** Leaves the connection, with its unparsed bytes, to other code. */
  release() {
    this.#end();
    if (this.#pending) this.socket.unshift(this.#pending);
    this.#pending = null;
  }

  /**
   * Stops parsing, and calls `answer` once the requests before the malformed bytes have been answered. Never calls it
   * if the connection closes first, or if the malformed request's own response has begun.
   */
  fail(answer: () => void) {
    this.#end();
    this.#pending = null;
    const last = this.#open.at(-1);
    const isOwn = last && !last.request.complete;
    if (isOwn && last.response.headersSent) return this.socket.destroySoon();
    if (this.#open.length === (isOwn ? 1 : 0)) answer();
    else this.#onAnswered = answer;
  }

  readonly #onData = (bytes: Buffer) => {
    this.#pending = this.#pending ? Buffer.concat([this.#pending, bytes]) : bytes;
    if (!this.turns.take(this.#goOn)) this.#pause();
  };

  readonly #goOn = () => {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (this.#isOver) return this.#answerMalformed();
    if (this.#isPaused) {
      this.#isPaused = false;
      // Resume before parsing, because Node pauses the socket again if a body arrives faster than it is read.
      this.socket.resume();
    }
    this.#parsePending();
  };

  /**
   * Checks for open requests first: the turn may have been requested before the requests ahead of the malformed bytes
   * began.
   */
  #answerMalformed() {
    if (this.#open.length > 0) return;
    this.#onAnswered?.();
    this.#onAnswered = null;
  }

  #parsePending() {
    while (this.#pending && !this.#isOver && !this.socket.destroyed) {
      const last = this.#open.at(-1);
      if (last?.request.complete) return this.#hold(last.response);
      const bytes = this.#pending;
      const isInChunks = last && 'transfer-encoding' in last.request.headers;
      const most = isInChunks ? bytes.subarray(0, CHUNKS_PIECE) : bytes;
      const end = most.indexOf(END, last ? BODY_PIECE - END.length : 0) + END.length;
      const piece = end < END.length ? most : most.subarray(0, end);
      this.#pending = piece.length === bytes.length ? null : bytes.subarray(piece.length);
      if (!last && end < END.length) this.#remember(piece);
      this.#parse(piece);
      if (this.#pending && this.turns.isOver()) return this.#wait();
    }
  }

  #remember(piece: Buffer) {
    const room = REMEMBERED - (this.#begun?.length ?? 0);
    if (room > 0) this.#begun = Buffer.concat([this.#begun ?? Buffer.alloc(0), piece.subarray(0, room)]);
  }

  #wait() {
    this.#pause();
    this.turns.take(this.#goOn);
  }

  #pause() {
    this.#isPaused = true;
    this.socket.pause();
  }

  #hold({ shouldKeepAlive }: ServerResponse) {
    // Read and ignore bytes after the last request. If they were left unread, the connection would be reset before the
    // response arrives.
    if (!shouldKeepAlive) this.#pending = null;
    else this.#pause();
  }

  #end() {
    this.#isOver = true;
    this.socket.off('data', this.#onData);
  }
}
