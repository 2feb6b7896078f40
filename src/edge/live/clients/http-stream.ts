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

/** A format in which an HTTP answer goes on. */
export type HttpStreamFormat = keyof typeof TYPES;

/** The headers of a stream's answer, besides those of every answer. */
export const streamHeaders = (format: HttpStreamFormat) => ({
  'content-type': TYPES[format],
  'x-accel-buffering': 'no', // nginx would hold frames back
  vary: 'accept',
});

export type HttpHeaders = Readonly<Record<string, number | string | string[] | undefined>>;

/** How long a client has to take the last bytes, in milliseconds of silence. */
const LAST_BYTES_MS = 10_000;

export type HttpStreamOptions = {
  readonly request: IncomingMessage;
  /** Nothing may have been sent on it. */
  readonly response: ServerResponse;
  readonly format: HttpStreamFormat;
  /** What is written where the format is text. */
  readonly textOf: EventText | undefined;
  /** The headers of every answer. */
  readonly headers: HttpHeaders;
  readonly tail: LiveTail;
  /** The last revision that the client has; 0 for none. */
  readonly after: number;
  /** Rejects with a `Refusal` when the client may not watch any more. */
  readonly assertCanWatch: LiveStream['assertCanWatch'];
  /** Connections whose sockets are full. */
  readonly slow: Set<Connection>;
  /** For how long it may be full before it is cut, in milliseconds, where that is not as for others. */
  readonly fullForMs: number | undefined;
  /** Called when the stream is over, whichever side ended it. It may be called twice. */
  readonly onGone: (client: HttpStream) => void;
};

/** An HTTP answer that goes on: frames are chunked here, and written to its connection past the response object. */
export class HttpStream implements HeartbeatReceiver {
  readonly #encoding: Encoding;
  readonly #connection: Connection;
  readonly #cursor: Cursor;
  readonly #response: ServerResponse;
  readonly #assertCanWatch: LiveStream['assertCanWatch'];
  readonly #onGone: (client: HttpStream) => void;

  /** Sends the head of the answer. Of its options it keeps what it needs: there are thousands of streams that wait. */
  constructor(options: HttpStreamOptions) {
    const { request, response, format, textOf, headers, tail, after, slow, fullForMs } = options;
    this.#response = response;
    this.#assertCanWatch = options.assertCanWatch;
    this.#onGone = options.onGone;
    // All of them at once, as Node keeps what is set one by one. A stream is the last answer on its connection, so that
    // the end of one is the end of the other.
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

  /** Tells the client when to come back, and ends the stream. Resolves when all is sent, or the client is gone. */
  async dismiss(retryMs: number): Promise<void> {
    const farewell = this.#encoding.farewell(retryMs);
    if (farewell) this.#connection.write(farewell);
    const closed = new Promise<void>((resolve) => this.#response.once('close', resolve));
    this.#finish();
    await closed;
  }

  /**
   * A client that may not watch any more gets what came before, and then the end; why, it is told when it comes back. A
   * store that is away says nothing about rights.
   */
  async #recheckRights(): Promise<void> {
    try {
      await this.#assertCanWatch();
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      // The event that ended the right is the last one shown.
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
