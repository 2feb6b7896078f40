import type { ServerResponse } from 'node:http';
import { enforceWriteTimeout } from '../server/write-timeout.js';
import type { AnswerSink, SinkEvents } from './answer-sink.js';

/** How long a visitor may read nothing, in milliseconds, as where files are sent. */
const STALLED_MS = 20_000;

/** An answer by Node’s own response. */
export class ResponseSink implements AnswerSink {
  events: SinkEvents | null = null;
  #isOver = false;

  constructor(private readonly response: ServerResponse) {
    response.on('drain', () => this.events?.onDrain());
    response.once('close', () => this.#gone());
    // Node says nothing of a write that fails where nothing listens, and then nothing closes.
    response.on('error', () => this.#gone());
  }

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  head(status: number, fields: readonly string[], length: number | null) {
    this.response.writeHead(status, length === null ? [...fields] : [...fields, 'content-length', String(length)]);
  }

  write(bytes: Buffer): boolean {
    if (this.response.write(bytes)) return true;
    if (this.response.listenerCount('timeout') === 0) enforceWriteTimeout(this.response, STALLED_MS);
    return false;
  }

  flush() {
    if (!this.response.writableEnded) this.response.flushHeaders();
  }

  end() {
    this.#isOver = true;
    this.response.end();
  }

  abort() {
    this.#isOver = true;
    this.response.destroy();
  }

  #gone() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events?.onGone();
  }
}
