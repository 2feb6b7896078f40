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

/** Format of a streamed HTTP response. */
export type HttpStreamFormat = keyof typeof TYPES;

/** Headers of a streamed response, in addition to those of every response. */
export const streamHeaders = (format: HttpStreamFormat) => ({
  'content-type': TYPES[format],
  'x-accel-buffering': 'no', // nginx would buffer frames
  vary: 'accept',
});

export type HttpHeaders = Readonly<Record<string, number | string | string[] | undefined>>;

/** Idle time that a client has to read the last bytes, in milliseconds. */
const LAST_BYTES_MS = 10_000;

export type HttpStreamOptions = {
  readonly request: IncomingMessage;
  /** Must not have sent anything yet. */
  readonly response: ServerResponse;
  readonly format: HttpStreamFormat;
  /** Formats events if `format` is `text`. */
  readonly textOf: EventText | undefined;
  /** Headers of every response. */
  readonly headers: HttpHeaders;
  readonly tail: LiveTail;
  /** The last revision that the client has; 0 if it has none. */
  readonly after: number;
  /** Rejects with a `Refusal` if the client may no longer watch. */
  readonly assertCanWatch: LiveStream['assertCanWatch'];
  /** Connections whose sockets are full. */
  readonly slow: Set<Connection>;
  /** Time that the socket may be full before the connection is cut, in milliseconds. Undefined for the default. */
  readonly fullForMs: number | undefined;
  /** Called when the stream has ended, on either side. May be called twice. */
  readonly onGone: (client: HttpStream) => void;
};

/**
 * A streamed HTTP response. Chunks its own frames and writes them directly to the socket, bypassing the response
 * object.
 */
export class HttpStream implements HeartbeatReceiver {
  readonly #encoding: Encoding;
  readonly #connection: Connection;
  readonly #cursor: Cursor;
  readonly #response: ServerResponse;
  readonly #assertCanWatch: LiveStream['assertCanWatch'];
  readonly #onGone: (client: HttpStream) => void;

  /**
   * Sends the head of the response. Does not keep the `options` object, because thousands of streams may be waiting.
   */
  constructor(options: HttpStreamOptions) {
    const { request, response, format, textOf, headers, tail, after, slow, fullForMs } = options;
    this.#response = response;
    this.#assertCanWatch = options.assertCanWatch;
    this.#onGone = options.onGone;
    // All headers are set in one call, because Node keeps those that are set individually. A stream is the last
    // response on its connection, so that either ends with the other.
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
   * Sends the client the delay before it reconnects, and ends the stream. Resolves when everything is sent or the
   * client has gone.
   */
  async dismiss(retryMs: number): Promise<void> {
    const farewell = this.#encoding.farewell(retryMs);
    if (farewell) this.#connection.write(farewell);
    const closed = new Promise<void>((resolve) => this.#response.once('close', resolve));
    this.#finish();
    await closed;
  }

  /**
   * Ends the stream of a client that may no longer watch, after the events before that. The client gets the reason when
   * it reconnects. An unavailable store does not revoke rights.
   */
  async #recheckRights(): Promise<void> {
    try {
      await this.#assertCanWatch();
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      // Show the event that revoked the right as the last one.
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
