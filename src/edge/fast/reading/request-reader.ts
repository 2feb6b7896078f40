import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';

/** The bytes at the end of a head, and at the end of a chunked body (RFC 9112 sections 2.1 and 7.1). */
const END = '\r\n\r\n';

/**
 * A body is parsed in pieces of at least this size, which can also contain later requests. Each request has at least 18
 * bytes, so a piece contains fewer than sixty requests.
 */
const BODY_PIECE = 1_024;

/**
 * Maximum size of the pieces of a chunked body. Node's parser needs 4 µs for each chunk, even of one byte.
 */
const CHUNKS_PIECE = 2_048;

/** Number of bytes of an unfinished head that are kept. They include the first fields, such as Host. */
const REMEMBERED = 4_096;

type OpenExchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * Makes Node’s HTTP server parse a request only after all earlier requests have been answered. Otherwise, Node would
 * begin every request that has arrived, even if many responses are waiting for a client that does not read (decision
 * 0058).
 */
export class RequestReader {
  readonly #parse: (bytes: Buffer) => void;
  /** Requests whose responses have not been closed, oldest first. */
  readonly #open: OpenExchange[] = [];
  #pending: Buffer | null = null;
  #begun: Buffer | null = null;
  #isPaused = false;
  #isOver = false;
  #onAnswered: (() => void) | null = null;

  /** The socket must already belong to Node’s server, and must be paused. */
  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
  ) {
    // Use `off`, because `removeAllListeners` leaves half a KiB on the socket.
    const [parse] = socket.listeners('data');
    if (parse) socket.off('data', parse as () => void);
    socket.on('data', this.#onData);
    this.#parse = (bytes) => void (parse && Reflect.apply(parse, socket, [bytes]));
  }

  track(request: IncomingMessage, response: ServerResponse) {
    this.#begun = null;
    const exchange = { request, response };
    this.#open.push(exchange);
    response.once('close', () => {
      this.#open.splice(this.#open.indexOf(exchange), 1);
      // Wait for a later turn of the event loop, so that clients with many requests do not delay others.
      if (this.#open.length > 0 || !(this.#pending || this.#onAnswered)) return;
      setImmediate(() => this.turns.take(this.#goOn));
    });
  }

  /** The beginning of a head that arrives in several pieces, or null. */
  get begunHead(): Buffer | null {
    return this.#begun;
  }

  /** Stops reading the connection. The connection and its unparsed bytes then belong to the caller. */
  release() {
    this.#end();
    if (this.#pending) this.socket.unshift(this.#pending);
    this.#pending = null;
  }

  /**
   * Stops parsing after a malformed request. Calls `answer`, which sends the error response, once all earlier requests
   * have been answered. Never calls it if the connection closes first, or if the response to the malformed request has
   * already begun.
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

  /** Responds to malformed data, unless requests are open. Requests may have begun after this call was scheduled. */
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
    // Read and ignore bytes after the last request. Unread bytes would reset the connection and lose the response.
    if (!shouldKeepAlive) this.#pending = null;
    else this.#pause();
  }

  #end() {
    this.#isOver = true;
    this.socket.off('data', this.#onData);
  }
}
