import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ProgramAddress } from '../../../kernel/ports/served-program.js';
import type { AnswerFields } from './answer-fields.js';
import type { AnswerHead } from './answer-head.js';
import type { AnswerFault, AnswerReceiver, Taken } from './answer-receiver.js';
import type { AnswerSink, SinkEvents } from './answer-sink.js';
import { flushSoon } from './flush-soon.js';
import type { ServerConnection, ServerConnections } from './server-connections.js';

/** A request as the program is to get it. */
export type ForwardedRequest = {
  readonly method: string;
  /** Its line and fields, each with its line break, without framing and without the empty line. */
  readonly head: string;
  readonly body: RequestBody | null;
};

/** `length` in bytes; null for chunks. */
export type RequestBody = { readonly stream: Readable; readonly length: number | null };

export type ExchangeOptions = {
  readonly connections: ServerConnections;
  readonly address: ProgramAddress;
  readonly request: ForwardedRequest;
  readonly sink: AnswerSink;
  /** Which fields the visitor gets. */
  readonly fieldsOf: (head: AnswerHead) => AnswerFields;
  readonly requestId: string;
  /**
   * Called once. `fault` is null where the answer went out whole, or its visitor left first. Where there is one and
   * nothing has been sent, an answer is still to be given.
   */
  readonly onOver: (fault: AnswerFault | null) => void;
  /** Where the request may go on as a WebSocket: called when the program agrees, in the place of an answer. Else null. */
  readonly onSwitch: ((head: AnswerHead, socket: Socket, rest: Buffer) => void) | null;
};

/** These change nothing, so that they may be sent a second time (RFC 9110 section 9.2.1). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Sends one request to a program, and its answer to the visitor as it comes. */
export class Exchange implements AnswerReceiver, SinkEvents {
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

  onHead(head: AnswerHead) {
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

  onSwitch(head: AnswerHead, socket: Socket, rest: Buffer) {
    this.#finish();
    this.options.onSwitch?.(head, socket, rest);
  }

  onFault(fault: AnswerFault) {
    if (this.#isOver) return;
    const { sink, onOver } = this.options;
    if (fault.kind === 'closed unanswered' && this.#canRepeat) {
      this.#isRepeated = true;
      return this.#send(false);
    }
    this.#finish();
    if (sink.hasBegun) sink.abort();
    // It was there when this was sent first: that may be what ended it.
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

/** With these a body is expected, and none is said so (RFC 9110 section 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function framingOf({ method, body }: ForwardedRequest): string {
  if (body === null) return WITH_BODY.has(method) ? 'content-length: 0\r\n\r\n' : '\r\n';
  return body.length === null ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${body.length}\r\n\r\n`;
}
