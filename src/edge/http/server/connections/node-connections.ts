import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type NodeConnectionPool,
  type NodeConnectionPoolOptions,
  type OpenConnections,
  readRawPacket,
} from './connections.js';
import type { Turns } from './turns.js';

/**
 * Maximum number of unfinished requests on one connection. If a client sends more in advance, its connection is closed
 * after the responses to these requests (RFC 9112 section 9.3.2). Without this limit, 64 KiB could contain 3,600
 * requests.
 */
const MAX_OPEN = 100;

/** Number of bytes of an incomplete head that are kept. They include the first fields, such as Host. */
const MAX_REMEMBERED = 4_096;

/** Opens connections that only Node’s HTTP server reads (STELE_FAST_PATH=off). */
export const openNodeConnections: OpenConnections = (options) => new NodeConnections(options);

class NodeConnections implements NodeConnectionPool {
  readonly #connections = new WeakMap<Socket, NodeConnection>();

  constructor(private readonly options: NodeConnectionPoolOptions) {
    options.allowHalfOpen();
  }

  accept(socket: Socket) {
    this.options.giveToNode(socket);
    this.#connections.set(socket, new NodeConnection(socket, this.options.turnsOf(socket)));
  }

  canUpgrade(socket: Socket): boolean {
    return this.#connections.get(socket)?.isIdle ?? true;
  }

  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean) {
    const connection = this.#connections.get(request.socket);
    if (connection) connection.take({ request, response, handle });
    else handle();
  }

  refuse(socket: Socket, fault: Error & { readonly code?: string }, answer: (head: Buffer | null) => void) {
    const connection = this.#connections.get(socket);
    if (connection) connection.refuse(fault, answer);
    else answer(readRawPacket(fault));
  }

  release(socket: Socket) {
    this.#connections.get(socket)?.release();
  }

  /** Does nothing, because the server itself closes its idle connections. */
  close() {}
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: () => boolean;
};

/**
 * Handles the requests of a connection one after another. Node parses everything that has arrived, so if all of the
 * requests began together, one client could block all others (decision 0058).
 */
class NodeConnection {
  /** Requests whose responses have not been closed, oldest first. Only the first has begun. */
  readonly #exchanges: Exchange[] = [];
  #begunHead: Buffer | null = null;
  #isOver = false;
  #onAnswered: (() => void) | null = null;
  /** Whether the first request in `#exchanges` is for a site. True until that request has been handled. */
  #isForSite = true;
  /** Whether the client has closed its half of the connection. */
  #hasEnded = false;

  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
  ) {
    // Add this listener before Node’s own listener, which parses the bytes.
    socket.prependListener('data', this.#remember).on('end', this.#onEnd);
  }

  get isIdle(): boolean {
    return this.#exchanges.length === 0;
  }

  take(exchange: Exchange) {
    this.#begunHead = null;
    if (this.#isOver) return;
    const last = this.#exchanges.at(-1);
    if (last && this.#exchanges.length === MAX_OPEN) {
      // Close the connection after the last request's response, of which nothing has been sent yet. The body of the
      // last request is complete, because another request has followed it.
      last.response.shouldKeepAlive = false;
      return this.#ignoreRest();
    }
    this.#exchanges.push(exchange);
    exchange.response.once('close', () => this.#end(exchange));
    if (this.#exchanges.length === 1) this.#begin(exchange);
  }

  refuse(fault: Error & { readonly code?: string }, answer: (head: Buffer | null) => void) {
    // Ignore data that follows the last request: the connection will close after the response to that request.
    if (this.#isOver || fault.code === 'HPE_CLOSED_CONNECTION') return this.#ignoreRest();
    this.#ignoreRest();
    const head = this.#begunHead;
    const last = this.#exchanges.at(-1);
    const isOwn = last !== undefined && !last.request.complete;
    if (isOwn && last.response.headersSent) return this.socket.destroySoon();
    // If the malformed data is in the body of the last request, the refusal is the response to that request.
    if (isOwn) this.#exchanges.pop();
    if (this.#exchanges.length === 0) answer(head);
    else this.#onAnswered = () => answer(head);
  }

  release() {
    this.socket.off('data', this.#remember).off('end', this.#onEnd);
  }

  readonly #remember = (bytes: Buffer) => {
    if (this.#exchanges.length > 0) return;
    const begun = this.#begunHead ?? Buffer.alloc(0);
    if (begun.length < MAX_REMEMBERED)
      this.#begunHead = Buffer.concat([begun, bytes.subarray(0, MAX_REMEMBERED - begun.length)]);
  };

  get #isClosing(): boolean {
    return this.socket.destroyed || this.socket.writableEnded;
  }

  /** Reads and discards further data. Unread data would reset the connection before the responses arrive. */
  #ignoreRest() {
    this.#isOver = true;
    const { socket } = this;
    socket.on('data', ignore);
    for (const listener of socket.listeners('data'))
      if (listener !== ignore) socket.off('data', listener as () => void);
  }

  #begin({ handle }: Exchange) {
    this.turns.take(() => {
      // Don't handle requests that follow the one whose response closes the connection.
      if (this.#isClosing) return;
      this.#isForSite = handle();
      if (this.#hasEnded) this.#leave();
    });
  }

  readonly #onEnd = () => {
    this.#hasEnded = true;
    this.#leave();
  };

  /** Disconnects a client that has closed its half of the connection. A site’s visitor first gets the response. */
  #leave() {
    const [first] = this.#exchanges;
    if (!first || (this.#isForSite && first.request.complete)) return;
    for (const { request } of this.#exchanges) request.destroy(new ClientClosedError());
    this.socket.end();
  }

  #end(exchange: Exchange) {
    const at = this.#exchanges.indexOf(exchange);
    if (at < 0) return;
    this.#exchanges.splice(at, 1);
    this.#isForSite = true;
    const [next] = this.#exchanges;
    // Wait for a later turn of the event loop, so that clients with many requests do not delay others.
    if (next) setImmediate(() => this.#begin(next));
    else if (!this.#isClosing) this.#onAnswered?.();
  }
}

const ignore = () => undefined;

/** Has the code of Node’s own error for a connection that the client closed. */
class ClientClosedError extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('aborted');
  }
}
