import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../kernel/refusal.js';
import { Line } from './connection.js';
import { Watcher } from './cursor.js';
import { type Encoding, encodings } from './encodings.js';
import type { Beating } from './heartbeats.js';
import type { Watched } from './live-stream.js';
import type { Channel } from './stream-tail.js';

const TYPES = {
  eventStream: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson; charset=utf-8',
} as const;

/** What a stream's answer says besides the headers of every answer. */
export const streamHeaders = (form: keyof typeof TYPES) => ({
  'content-type': TYPES[form],
  'x-accel-buffering': 'no', // nginx would keep frames back
  vary: 'accept',
});

export type Headers = Readonly<Record<string, number | string | string[] | undefined>>;

/** How long a connection may be silent before its last bytes are taken, in milliseconds. */
const LAST_BYTES_MS = 10_000;

/** One answer that goes on: frames are written to its connection, chunked here, past the response object. */
export class HttpClient implements Beating {
  readonly #encoding: Encoding;
  readonly #line: Line;
  readonly #watcher: Watcher;

  constructor(
    request: IncomingMessage,
    private readonly response: ServerResponse,
    form: keyof typeof TYPES,
    headers: Headers,
    private readonly mayWatch: Watched['mayWatch'],
    from: { readonly channel: Channel; readonly after: number },
    slow: Set<Line>,
    /** It is over, whoever ended it. */
    private readonly gone: (client: HttpClient) => void,
  ) {
    // A stream is the last answer on its connection, so that the end of one is the end of the other.
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
    response.writeHead(200, { ...streamHeaders(form), connection: 'close' });
    response.flushHeaders();
    this.#encoding = encodings[form][response.chunkedEncoding ? 'chunked' : 'plain'];
    this.#line = new Line(
      request.socket,
      slow,
      () => this.#watcher.advance(),
      () => this.#leave(),
    );
    this.#watcher = new Watcher(
      from.channel,
      this.#line,
      this.#encoding,
      from.after,
      () => this.#finish(),
      () => this.#askAgain(),
    );
  }

  start(): void {
    this.#watcher.start();
  }

  beat(): void {
    if (this.#line.isReady && this.#encoding.heartbeat) this.#line.write(this.#encoding.heartbeat);
    void this.#askAgain();
  }

  /** The process stops: says when to come back, and ends. Resolves when all is sent, or the client is gone. */
  async dismiss(retryMs: number): Promise<void> {
    const farewell = this.#encoding.farewell(retryMs);
    if (farewell) this.#line.write(farewell);
    const closed = new Promise<void>((resolve) => this.response.once('close', resolve));
    this.#finish();
    await closed;
  }

  /** Whoever may not watch any more is told why when he comes back; a store that is away says nothing about rights. */
  async #askAgain(): Promise<void> {
    try {
      await this.mayWatch();
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      // What ended the right is the last thing he is told.
      this.#watcher.advance();
      this.#finish();
    }
  }

  #finish() {
    this.#leave();
    this.response.end();
    // Whoever does not take the last bytes is not waited for.
    const { socket } = this.response;
    socket?.setTimeout(LAST_BYTES_MS, () => socket.destroy());
  }

  #leave() {
    this.#line.release();
    this.#watcher.leave();
    this.gone(this);
  }
}
