import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ServerAddress } from '../../../kernel/ports/served-deploy.js';
import type { ResponseFields } from './response-fields.js';
import type { ResponseHead } from './response-head.js';
import type { ResponseFault, ResponseReceiver, Taken } from './response-receiver.js';
import type { ServerConnection, ServerConnectionPool } from './server-connections.js';
import type { SinkEvents, VisitorSink } from './visitor-sink.js';

/**
 * How long the head of a response is held back, so that it can be sent together with the beginning of the body. Many
 * servers write the body right after the head.
 */
const WAIT_MS = 1;

const waiting = new Set<VisitorSink>();

/** Delays the head for up to `WAIT_MS`, so that a part of the body that follows shares its packet. */
function flushSoon(sink: VisitorSink) {
  if (waiting.size === 0) setTimeout(flushAll, WAIT_MS);
  waiting.add(sink);
}

function flushAll() {
  const sinks = [...waiting];
  waiting.clear();
  for (const sink of sinks) sink.flush();
}

export type ForwardedRequest = {
  readonly method: string;
  /**
   * The request line and the header fields, each with a line break, but without framing fields and the final empty
   * line.
   */
  readonly head: string;
  readonly body: RequestBody | null;
};

/** The body of a request. `length` is in bytes, or null for a chunked body. */
export type RequestBody = { readonly stream: Readable; readonly length: number | null };

export type ExchangeOptions = {
  readonly connections: ServerConnectionPool;
  readonly address: ServerAddress;
  readonly request: ForwardedRequest;
  readonly sink: VisitorSink;
  readonly fieldsOf: (head: ResponseHead) => ResponseFields;
  readonly requestId: string;
  /**
   * Called once, at the end. `fault` is null if the complete response was sent or the visitor disconnected. If there is
   * a fault and nothing has been sent, the caller must still respond.
   */
  readonly onOver: (fault: ResponseFault | null) => void;
  /**
   * Called instead of sending a response if the server accepts the WebSocket that the visitor requested. Null if the
   * visitor did not request one.
   */
  readonly onSwitch: ((head: ResponseHead, socket: Socket, rest: Buffer) => void) | null;
};

/** Safe methods (RFC 9110 section 9.2.1), whose requests may be sent a second time. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Sends one request to a site server, and streams the response to the visitor. */
export class Exchange implements ResponseReceiver, SinkEvents {
  #connection: ServerConnection | null = null;
  #isOver = false;
  #isRepeated = false;
  readonly #canRepeat: boolean;

  constructor(private readonly options: ExchangeOptions) {
    const { request, sink } = options;
    this.#canRepeat = request.body === null && options.onSwitch === null && REPEATABLE.has(request.method);
    sink.events = this;
    this.#send(this.#canRepeat);
  }

  #send(canReuse: boolean) {
    const { connections, address, request, onSwitch } = this.options;
    const { method, body } = request;
    const connection = canReuse ? connections.take(address) : connections.open(address, onSwitch !== null);
    this.#connection = connection;
    const kind = body === null ? 'none' : body.length === null ? 'in chunks' : 'of a known length';
    connection.send(request.head + framingOf(request), { method, body: kind }, this);
    if (body) this.#sendBody(connection, body);
  }

  #sendBody(connection: ServerConnection, { stream }: RequestBody) {
    const onData = (bytes: Buffer) => {
      if (!connection.write(bytes)) stream.pause();
    };
    connection.onDrain = () => void stream.resume();
    const onEnd = () => connection.finishRequest();
    stream.on('data', onData).once('end', onEnd);
    this.#stopSending = () => void stream.off('data', onData).off('end', onEnd);
  }

  #stopSending = () => {};

  onHead(head: ResponseHead) {
    const { sink, fieldsOf, requestId } = this.options;
    sink.head(head.status, fieldsOf(head), head.length, requestId);
  }

  onBody(bytes: Buffer): Taken {
    return this.options.sink.write(bytes);
  }

  onPause() {
    const { sink } = this.options;
    if (!sink.hasBegun) flushSoon(sink);
  }

  onEnd() {
    this.#finish();
    this.options.sink.end();
    this.options.onOver(null);
  }

  onSwitch(head: ResponseHead, socket: Socket, rest: Buffer) {
    this.#finish();
    this.options.onSwitch?.(head, socket, rest);
  }

  onFault(fault: ResponseFault) {
    if (this.#isOver) return;
    const { sink, onOver } = this.options;
    if (fault.kind === 'closed unanswered' && this.#canRepeat) {
      this.#isRepeated = true;
      return this.#send(false);
    }
    this.#finish();
    if (sink.hasBegun) sink.abort();
    // If only the second attempt found the server unreachable, report `closed`: the server accepted the first attempt,
    // and may have crashed because of it.
    onOver(fault.kind === 'unreachable' && this.#isRepeated ? { ...fault, kind: 'closed' } : fault);
  }

  onDrain() {
    this.#connection?.resume();
  }

  onGone() {
    if (this.#isOver) return;
    this.#connection?.destroy();
    this.#finish();
    this.options.onOver(null);
  }

  #finish() {
    this.#isOver = true;
    this.#stopSending();
    this.#connection = null;
  }
}

/** Methods for which a request without a body contains `content-length: 0` (RFC 9110 section 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function framingOf({ method, body }: ForwardedRequest): string {
  if (body === null) return WITH_BODY.has(method) ? 'content-length: 0\r\n\r\n' : '\r\n';
  return body.length === null ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${body.length}\r\n\r\n`;
}
