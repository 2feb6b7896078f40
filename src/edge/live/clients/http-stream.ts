import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../../kernel/refusal.js';
import { type Encoding, encodings, textEncoding } from '../frames/encodings.js';
import type { EventText, LiveStream } from '../live-stream.js';
import type { LiveTail } from '../stream-tail.js';
import { Connection } from './connection.js';
import { Cursor } from './cursor.js';
import type { HeartbeatReceiver } from './heartbeats.js';

const TYPES = {
  eventStream: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const;

const NO_TEXT: EventText = () => '';

export type HttpStreamFormat = keyof typeof TYPES;

/** Headers of a streamed response, in addition to the headers of every response. */
export const streamHeaders = (format: HttpStreamFormat) => ({
  'content-type': TYPES[format],
  'x-accel-buffering': 'no', // Prevents nginx from buffering frames.
  vary: 'accept',
});

export type HttpHeaders = Readonly<Record<string, number | string | string[] | undefined>>;

/** A client that does not read the last bytes within this time is disconnected. */
const LAST_BYTES_MS = 10_000;

export type HttpStreamOptions = {
  readonly request: IncomingMessage;
  /** The response, which must not have been started yet. */
  readonly response: ServerResponse;
  readonly format: HttpStreamFormat;
  /** Formats events as plain text. Required if `format` is `text`. */
  readonly textOf: EventText | undefined;
  /** The headers that every response of the service has. */
  readonly headers: HttpHeaders;
  readonly tail: LiveTail;
  /** The last revision that the client already has, or 0 if it has none. */
  readonly after: number;
  readonly assertCanWatch: LiveStream['assertCanWatch'];
  readonly slow: Set<Connection>;
  readonly fullForMs: number | undefined;
  /** Called when the stream has ended on either side, possibly twice. */
  readonly onGone: (client: HttpStream) => void;
};

/** A streamed HTTP response. Applies chunked encoding to its own frames and bypasses the response object. */
export class HttpStream implements HeartbeatReceiver {
  readonly #encoding: Encoding;
  readonly #connection: Connection;
  readonly #cursor: Cursor;
  readonly #response: ServerResponse;
  readonly #assertCanWatch: LiveStream['assertCanWatch'];
  readonly #onGone: (client: HttpStream) => void;

  /** Sends the head of the response. Does not keep `options`, to save memory: thousands of streams may be open. */
  constructor(options: HttpStreamOptions) {
    const { request, response, format, textOf, headers, tail, after, slow, fullForMs } = options;
    this.#response = response;
    this.#assertCanWatch = options.assertCanWatch;
    this.#onGone = options.onGone;
    // Set all headers in one call, because Node keeps a copy of headers that are set individually.
    response.writeHead(200, { ...headers, ...streamHeaders(format), connection: 'close' });
    response.flushHeaders();
    const encoding = format === 'text' ? textEncoding(textOf ?? NO_TEXT) : encodings[format];
    this.#encoding = encoding[response.chunkedEncoding ? 'chunked' : 'plain'];
    this.#connection = new Connection({
      socket: request.socket,
      slow,
      ...(fullForMs !== undefined && { fullForMs }),
      onDrain: () => this.#cursor.advance(),
      onClose: () => this.#leave(),
    });
    this.#cursor = new Cursor({
      tail,
      connection: this.#connection,
      encoding: this.#encoding,
      after,
      onEnd: () => this.#finish(),
      recheckRights: () => this.#recheckRights(),
    });
  }

  start(): void {
    this.#cursor.start();
  }

  beat(): void {
    if (this.#connection.isReady && this.#encoding.heartbeat) this.#connection.write(this.#encoding.heartbeat);
    void this.#recheckRights();
  }

  /**
   * Sends the reconnection delay and ends the stream. Resolves once everything has been sent or the client has
   * disconnected.
   */
  async dismiss(retryMs: number): Promise<void> {
    const farewell = this.#encoding.farewell(retryMs);
    if (farewell) this.#connection.write(farewell);
    const closed = new Promise<void>((resolve) => this.#response.once('close', resolve));
    this.#finish();
    await closed;
  }

  /**
   * Ends the stream of a client that may no longer watch, after sending the earlier events. The client gets the reason
   * when it reconnects. If the store is unavailable, the client keeps its access.
   */
  async #recheckRights(): Promise<void> {
    try {
      await this.#assertCanWatch();
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      // First send the events up to and including the one that revoked the access.
      this.#cursor.advance();
      this.#finish();
    }
  }

  #finish() {
    const response = this.#response;
    this.#leave();
    response.end();
    const { socket } = response;
    socket?.setTimeout(LAST_BYTES_MS, () => socket.destroy());
  }

  #leave() {
    this.#connection.release();
    this.#cursor.leave();
    this.#onGone(this);
  }
}
