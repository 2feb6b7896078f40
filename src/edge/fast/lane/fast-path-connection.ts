import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';
import { DrainingResponse } from '../../http/server/draining-response.js';
import type { CachedResponse, Forward, PlainRequest } from '../../http/server/first-handler.js';
import { readDescriptor } from '../../http/server/queued-bytes.js';
import type { ConnectionOptions } from './connection-options.js';
import { DirectResponse } from './direct-response.js';
import { headersByName, plainRequest } from './plain-request.js';
import type { PreparedResponse, ResponseCache } from './response-cache.js';
import { UnreadResponses } from './unread-responses.js';

const CLOSE = 'Connection: close\r\n\r\n';

/** The event that must happen before the socket's timeout. `unknown` means that other code has set the timeout. */
type AwaitedByTimeout = 'first request' | 'next request' | 'reading' | 'unknown';

/** A client's connection that has carried only plain requests for hosted sites so far. */
export class FastPathConnection {
  #response: ServerResponse | null = null;
  #direct: DirectResponse | null = null;
  #closed: AbortController | null = null;
  #pending: Buffer | null = null;
  #hasEnded = false;
  #awaited: AwaitedByTimeout = 'first request';
  readonly #turns: Turns;
  readonly #unread: UnreadResponses;

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
    private readonly responses: ResponseCache,
    private readonly isClosing: () => boolean,
    private readonly forget: () => void,
  ) {
    this.#turns = options.turnsOf(socket);
    this.#unread = new UnreadResponses(socket);
    socket
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('timeout', this.#onTimeout)
      .on('drain', this.#onDrain)
      .on('close', this.#onClose)
      .setTimeout(options.firstRequestMs);
  }

  endIfIdle() {
    if (this.#isAnswering || this.socket.writableLength > 0) return;
    // Call `end`, not `destroy`: destroying a socket with unread bytes would reset the connection.
    this.socket.end();
  }

  readonly #onData = (bytes: Buffer) => {
    // Read and ignore bytes after the last request. Unread bytes would reset the connection and lose the response.
    if (this.socket.writableEnded) return;
    this.#pending = bytes;
    // Stop reading from a client that does not read its responses, so that unread responses don't pile up in memory.
    if (this.#isAnswering || this.socket.writableNeedDrain || !this.#turns.take(this.#takePending)) this.socket.pause();
  };

  #handle(bytes: Buffer) {
    const request = plainRequest(bytes);
    if (!request) return this.#handOver(bytes);
    const isLast = !request.keepAlive || this.isClosing() || this.#hasEnded;
    const answer = this.options.handler.cachedResponse(request);
    if (!answer) {
      const forward = this.options.handler.forward(request);
      return forward ? this.#forward(request, isLast, forward) : this.#answerWithNode(request, isLast, bytes);
    }
    this.#send(answer, isLast);
    if (answer.onSent !== null) this.#unread.report(request, answer);
    if (isLast) this.socket.end();
    this.#setIdleTimeout();
  }

  get #isAnswering(): boolean {
    return this.#response !== null || this.#direct !== null;
  }

  #forward(request: PlainRequest, isLast: boolean, forward: Forward) {
    this.#closed ??= new AbortController();
    const { socket, responses } = this;
    const { signal } = this.#closed;
    const slow = () => {
      this.#awaited = 'unknown';
      socket.setTimeout(this.options.writeTimeoutMs);
    };
    this.#direct = new DirectResponse(request, socket, responses, isLast, signal, slow, () =>
      this.#onForwarded(isLast),
    );
    forward(this.#direct);
  }

  #onForwarded(isLast: boolean) {
    this.#direct = null;
    if (isLast || this.isClosing() || (this.#hasEnded && !this.#pending)) return void this.socket.end();
    this.#setIdleTimeout();
    this.#readPending();
  }

  #send(answer: CachedResponse, isLast: boolean) {
    const { socket, responses } = this;
    const prepared = isLast ? null : responses.get(answer);
    if (prepared) return this.#sendPrepared(prepared);
    const { head, body } = answer;
    const text = head + responses.date + (isLast ? CLOSE : responses.ending);
    if (body === null) socket.write(text, 'latin1');
    else if (typeof body === 'string') socket.write(text + body, 'latin1');
    else {
      socket.cork();
      socket.write(text, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  #sendPrepared({ bytes, offHeapFile }: PreparedResponse) {
    const { socket } = this;
    // `sendTo` bypasses the socket’s own buffer, so that buffer must be empty.
    const sent = offHeapFile && socket.writableLength === 0 ? offHeapFile.sendTo(readDescriptor(socket)) : 0;
    if (sent < bytes.length) socket.write(sent === 0 ? bytes : bytes.subarray(sent));
  }

  /** Uses Node’s own request and response objects, for content that is not in memory. */
  #answerWithNode(plain: PlainRequest, isLast: boolean, bytes: Buffer) {
    const headers = headersByName(plain.rawHeaders);
    if (!headers) return this.#handOver(bytes);
    const request = new IncomingMessage(this.socket);
    const { method, url, rawHeaders } = plain;
    Object.assign(request, { method, url, rawHeaders, headers, httpVersion: '1.1', complete: true });
    request.httpVersionMajor = 1;
    request.httpVersionMinor = 1;
    request.push(null);

    const response = new DrainingResponse(request);
    response.shouldKeepAlive = !isLast;
    response.assignSocket(this.socket);
    this.#response = response;
    response.once('finish', () => this.#onAnswered(response));
    if (this.options.handler.answer(request, response)) return;
    this.#response = null;
    response.removeAllListeners();
    response.detachSocket(this.socket);
    this.#handOver(bytes);
  }

  #onAnswered(response: ServerResponse) {
    const { socket } = this;
    this.#response = null;
    if (response.destroyed) return;
    const isLast = !response.shouldKeepAlive || this.isClosing() || (this.#hasEnded && !this.#pending);
    response.detachSocket(socket);
    // Emit `close` as Node's HTTP server would, because streams wait for this event.
    process.nextTick(() => response.emit('close'));
    if (isLast) return void socket.end();
    this.#awaited = 'unknown';
    this.#setIdleTimeout();
    this.#readPending();
  }

  #readPending() {
    if (!this.#pending) return;
    // Wait for a later turn of the event loop, so that clients with many requests do not delay others.
    setImmediate(() => this.#turns.take(this.#takePending));
  }

  readonly #takePending = () => {
    const { socket } = this;
    const bytes = this.#pending;
    if (!bytes || socket.destroyed || this.#isAnswering || socket.writableNeedDrain) return;
    this.#pending = null;
    socket.resume();
    if (!socket.writableEnded) this.#handle(bytes);
  };

  #setIdleTimeout() {
    const awaited = this.socket.writableLength > 0 ? 'reading' : 'next request';
    if (awaited === this.#awaited) return;
    this.#awaited = awaited;
    const { writeTimeoutMs, keepAliveMs } = this.options;
    this.socket.setTimeout(awaited === 'reading' ? writeTimeoutMs : keepAliveMs);
  }

  readonly #onClose = () => {
    this.#direct?.gone();
    this.#closed?.abort();
    this.#unread.settle();
    this.forget();
  };

  readonly #onTimeout = () => {
    this.#unread.look();
    if (this.#response) return void this.#response.emit('timeout');
    // Disconnect only visitors who don’t read. While a response is being produced, other timeouts apply.
    if (this.#direct && this.socket.writableLength === 0) return;
    const hasRead = this.#awaited === 'reading' && this.socket.writableLength === 0;
    if (!hasRead) return void this.socket.destroy();
    // The client has read everything since the timeout was set, so it is idle rather than stalled.
    this.#awaited = 'unknown';
    this.socket.setTimeout(this.options.keepAliveMs - this.options.writeTimeoutMs);
  };

  readonly #onDrain = () => {
    this.#unread.look();
    if (this.#response) this.#response.emit('drain');
    else if (this.#direct) this.#direct.events?.onDrain();
    else this.#readPending();
  };

  readonly #onEnd = () => {
    this.#hasEnded = true;
    // During a direct response, `end` is the only sign that the client has disconnected. Don't wait for the response to
    // end, because it might never end.
    if (this.#direct) return void this.socket.destroy();
    // If a request is waiting for its turn, keep the connection open until the response has been sent.
    if (!this.#isAnswering && !this.#pending) this.socket.end();
  };

  readonly #onError = () => void this.socket.destroy();

  #handOver(bytes: Buffer) {
    const { socket } = this;
    this.forget();
    this.#unread.settle();
    socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('timeout', this.#onTimeout)
      .off('drain', this.#onDrain)
      .off('close', this.#onClose)
      .setTimeout(0);
    if (this.#hasEnded) {
      // The bytes can't be put back with `unshift`, because the stream has already ended.
      this.options.handOver(socket, this.#turns);
      socket.emit('data', bytes);
      socket.emit('end');
      return;
    }
    socket.pause();
    socket.unshift(bytes);
    this.options.handOver(socket, this.#turns);
    socket.resume();
  }
}
