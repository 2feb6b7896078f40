import type { ServerResponse } from 'node:http';
import { enforceWriteTimeout } from '../server/write-timeout.js';
import type { ResponseFields } from './response-fields.js';
import type { Taken } from './response-receiver.js';
import type { SinkEvents, VisitorSink } from './visitor-sink.js';

/** A visitor that has read nothing for this long is disconnected. */
const STALLED_MS = 20_000;

export class ResponseSink implements VisitorSink {
  events: SinkEvents | null = null;
  #head: { readonly status: number; readonly fields: string[] } | null = null;
  #isOver = false;

  constructor(private readonly response: ServerResponse) {
    response.on('drain', () => this.events?.onDrain());
    response.once('close', () => this.#gone());
    // Without an `error` listener, Node does not report a failed write and never emits `close`.
    response.on('error', () => this.#gone());
  }

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  head(status: number, { list }: ResponseFields, length: number | null, requestId: string) {
    const fields = [...list, 'x-request-id', requestId];
    if (length !== null) fields.push('content-length', String(length));
    this.#head = { status, fields };
  }

  write(bytes: Buffer): Taken {
    this.#writeHead();
    // Copy the bytes, because their buffer may be overwritten before Node writes them.
    if (this.response.write(Buffer.from(bytes))) return 'sent';
    if (this.response.listenerCount('timeout') === 0) enforceWriteTimeout(this.response, STALLED_MS);
    return 'full';
  }

  flush() {
    // Without a head, Node would generate one, and another response would no longer be possible.
    if (this.#head === null || this.response.destroyed || this.response.writableEnded) return;
    this.#writeHead();
    this.response.flushHeaders();
  }

  end() {
    this.#isOver = true;
    this.#writeHead();
    this.response.end();
  }

  abort() {
    this.#isOver = true;
    this.response.destroy();
  }

  #writeHead() {
    if (this.#head) this.response.writeHead(this.#head.status, this.#head.fields);
    this.#head = null;
  }

  #gone() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events?.onGone();
  }
}
