import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Recorded } from '../../kernel/event-store.js';
import { plural } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';
import type { Connection } from './clients/connection.js';
import { type ConnectionLimits, ConnectionQuota } from './clients/connection-quota.js';
import { type HeartbeatReceiver, Heartbeats } from './clients/heartbeats.js';
import { type HttpHeaders, HttpStream, type HttpStreamFormat, streamHeaders } from './clients/http-stream.js';
import { pageSize, resumePoint, wantsColour } from './clients/resume-point.js';
import { buildShownEvents } from './frames/frame.js';
import { RingBudget } from './frames/ring.js';
import { preferredFormat, type StreamFormat } from './frames/stream-format.js';
import { uncoloured } from './frames/uncoloured-text.js';
import type { LiveSource } from './live-source.js';
import type { LiveStream } from './live-stream.js';
import { BEYOND, StreamHistory } from './stream-history.js';
import { StreamResolver } from './stream-resolver.js';
import type { SourcedStream } from './stream-source.js';
import { type LiveTail, StreamTail } from './stream-tail.js';

/** Size limit for all ring buffers of a process together, in characters. */
const RINGS_HOLD = 64 * 1024 * 1024;

/**
 * A client that reads nothing of a log for this long is disconnected. A client that is merely slow misses events
 * instead.
 */
const LOG_FULL_FOR_MS = 600_000;

/** Grace period for clients to read the last bytes when the process stops. */
const DISMISSED_WITHIN_MS = 1_000;

/** The part of a Fastify request that is used here. */
export type StreamRequest = {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly method: string;
};

/** The part of a Fastify reply that is used here. */
export type StreamReply = {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): HttpHeaders;
  status(code: number): StreamReply;
  header(name: string, value: string): StreamReply;
  send(body?: unknown): unknown;
};

/** One page of a stream, for clients that accept JSON. */
export type StreamPage = {
  readonly items: readonly { readonly id: number; readonly event: string; readonly data: object }[];
  /** The value of `?after=` with which a client requests the next page. */
  readonly after: number;
  readonly limit: number;
  /** Revision of the stream's last event, which equals the number of events ever recorded. */
  readonly total: number;
  /** Whether the stream has ended and this is its last page. */
  readonly ended: boolean;
};

export type LiveStreamOptions = {
  readonly store: LiveSource<Recorded>;
  /** Returns the IP address for which a connection is counted. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly limits: ConnectionLimits;
};

export type Dismissible = {
  /**
   * Sends the reconnection delay and ends the stream. Resolves once everything has been sent or the client has
   * disconnected.
   */
  dismiss(retryMs: number): Promise<void>;
};

/**
 * Lets clients watch streams of the event store and of other sources. To respond with a stream, a route only has to
 * call `answer`.
 */
export class LiveStreamServer {
  /** The streams to which a WebSocket can subscribe. Each module registers its own at startup. */
  readonly resolver = new StreamResolver();
  readonly heartbeats = new Heartbeats(() => this.#cutSlow());
  /** The connections whose sockets are full. */
  readonly slow = new Set<Connection>();
  /** The `StreamTail` of each watched stream, keyed by the stream's name in its source and its view. */
  readonly #tails = new Map<string, LiveTail>();
  /** Number of open `StreamTail` objects for each group of similar streams. */
  readonly #among = new Map<string, number>();
  readonly #clients = new Set<Dismissible>();
  readonly #budget = new RingBudget(RINGS_HOLD);
  readonly #history: StreamHistory;
  readonly #quota: ConnectionQuota;
  #isStopping = false;

  constructor(private readonly options: LiveStreamOptions) {
    this.#history = new StreamHistory(options.store);
    this.#quota = new ConnectionQuota(options.limits);
  }

  async start(): Promise<void> {
    this.heartbeats.start();
  }

  /** Makes each client reconnect after 1 to 3 s, and ends its stream. Resolves within one second. */
  async finishRequests(): Promise<void> {
    this.#isStopping = true;
    this.heartbeats.stop();
    const dismissed = [...this.#clients].map((client) => client.dismiss(1_000 + Math.floor(Math.random() * 2_000)));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, DISMISSED_WITHIN_MS);
    await Promise.race([Promise.all(dismissed), late]);
    clearTimeout(timer);
  }

  /**
   * Responds with a stream: `text/event-stream`, `application/x-ndjson`, `text/plain` if the stream has a text form, or
   * one page of `application/json`. The route sets the format; otherwise `Accept` does. Text has colours only with
   * `?color=1`. Responds with 204 if the client has seen all events and no more can follow. The caller must not use
   * `reply` before or after.
   *
   * Before sending anything, rejects with a `Refusal` for an invalid query or resume point, a client that may not
   * watch, or too many connections. An empty stream is valid: the route decides whether clients can watch it before its
   * first event.
   */
  async answer(
    request: StreamRequest,
    reply: StreamReply,
    stream: LiveStream,
    format: StreamFormat = preferredFormat(request.headers.accept, stream.textOf !== undefined),
  ): Promise<void> {
    const after = resumePoint(request.headers, request.query);
    const limit = pageSize(request.query);
    await stream.assertCanWatch();

    if (format === 'page') return void reply.header('vary', 'accept').send(await this.page(stream, after, limit));
    if (after > 0 && (await this.#isOverAfter(stream, after))) return void reply.status(204).send();
    this.#send(request, reply, stream, after, format);
  }

  /**
   * Responds with the stream of a log, which never ends by itself. Sends the events after `after`, or starts with the
   * newest events if `after` is 0. The caller must already have checked that the client may watch.
   */
  follow(
    request: StreamRequest,
    reply: StreamReply,
    stream: SourcedStream,
    after: number,
    format: HttpStreamFormat,
  ): void {
    this.#send(request, reply, stream, after, format);
  }

  #send(
    request: StreamRequest,
    reply: StreamReply,
    stream: LiveStream | SourcedStream,
    after: number,
    format: HttpStreamFormat,
  ): void {
    const hasColours = wantsColour(request.query);
    if (request.method === 'HEAD') {
      for (const [name, value] of Object.entries(streamHeaders(format))) reply.header(name, value);
      return void reply.send();
    }

    const address = this.#addressOf(request.raw);
    this.assertRoomFor(stream);
    const giveBack = this.#quota.connectionWithStream(address, stream.session);
    reply.hijack();
    if (request.raw.socket.destroyed) return void giveBack();
    const client = new HttpStream({
      request: request.raw,
      response: reply.raw,
      format,
      textOf: stream.textOf && !hasColours ? uncoloured(stream.textOf) : stream.textOf,
      headers: reply.getHeaders(),
      tail: this.tailOf(stream),
      after,
      assertCanWatch: stream.assertCanWatch,
      slow: this.slow,
      fullForMs: stream.log && LOG_FULL_FOR_MS,
      onGone: () => {
        this.remove(client);
        giveBack();
      },
    });
    this.add(client);
    client.start();
  }

  async page(stream: LiveStream, after: number, limit: number): Promise<StreamPage> {
    const { store } = this.options;
    const { head } = await store.read(stream.stream, BEYOND);
    const events = after < head.revision ? await store.page(stream.stream, after, limit) : [];
    const shown = await buildShownEvents(stream, events);
    const items = events.flatMap(({ revision }, at) => (shown[at] ? [{ id: revision, ...shown[at] }] : []));
    const reached = events.at(-1)?.revision ?? Math.min(after, head.revision);
    const ended = reached === head.revision && (await this.#isOverAfter(stream, reached));
    return { items, after: reached, limit, total: head.revision, ended };
  }

  /** Like `StreamHistory.watchRights`, for callers that read a stream of the event store themselves. */
  watchRights(stream: LiveStream, signal: AbortSignal, recheck: () => void): Promise<void> {
    return this.#history.watchRights(stream, signal, recheck);
  }

  /** Returns the `StreamTail` that all clients of a stream share. A cursor must join it immediately. */
  tailOf(stream: LiveStream | SourcedStream): LiveTail {
    const { log } = stream;
    const name = tailName(stream);
    const open = this.#tails.get(name);
    if (open) return open;
    const onAbandoned = () => {
      if (this.#tails.get(name) !== made) return;
      this.#tails.delete(name);
      if (log) this.#count(log.among.name, -1);
    };
    const given = { budget: this.#budget, onAbandoned };
    const { store } = this.options;
    const made: LiveTail =
      'tail' in stream ? stream.tail(given) : new StreamTail({ stream, store, history: this.#history, ...given });
    this.#tails.set(name, made);
    if (log) this.#count(log.among.name, 1);
    return made;
  }

  /** Refuses with `quota_exceeded` if the stream needs a new `StreamTail` and its group has reached its limit. */
  assertRoomFor(stream: LiveStream | SourcedStream): void {
    const { log } = stream;
    if (!log || this.#tails.has(tailName(stream)) || (this.#among.get(log.among.name) ?? 0) < log.among.most) return;
    refuse(
      'quota_exceeded',
      `This log is already being watched with ${plural(log.among.most, 'different filter')}, which is the limit. Use one of those filters.`,
    );
  }

  #count(among: string, change: 1 | -1) {
    const count = (this.#among.get(among) ?? 0) + change;
    if (count > 0) this.#among.set(among, count);
    else this.#among.delete(among);
  }

  /**
   * Counts a connection against the quota, although it watches nothing yet. Returns a function that removes it from the
   * count. Refuses like `ConnectionQuota`.
   */
  takeConnection(request: IncomingMessage): () => void {
    return this.#quota.connection(this.#addressOf(request));
  }

  /** Returns a function that counts streams on this connection against the quota. It refuses like `ConnectionQuota`. */
  streamQuotaOf(request: IncomingMessage): (session: string | null) => () => void {
    return this.streamQuotaOfAddress(this.options.addressOf(request));
  }

  streamQuotaOfAddress(address: string): (session: string | null) => () => void {
    return (session) => this.#quota.stream(address, session);
  }

  /** Adds a client, which then gets heartbeats and is notified when the process stops. */
  add(client: Dismissible & HeartbeatReceiver): void {
    this.#clients.add(client);
    this.heartbeats.add(client);
  }

  remove(client: Dismissible & HeartbeatReceiver): void {
    if (this.#clients.delete(client)) this.heartbeats.remove(client);
  }

  #addressOf(request: IncomingMessage): string {
    if (this.#isStopping) refuse('unavailable', 'This server is shutting down. Try again shortly.');
    return this.options.addressOf(request);
  }

  async #isOverAfter({ stream, finalTypes }: LiveStream, after: number): Promise<boolean> {
    if (finalTypes.size === 0 || after >= BEYOND) return false;
    const [last, next] = await this.options.store.page(stream, after - 1, 2);
    return last?.revision === after && next === undefined && finalTypes.has(last.type);
  }

  #cutSlow() {
    for (const each of this.slow) if (each.isStuck) each.cut();
  }
}

const tailName = ({ stream, view }: LiveStream | SourcedStream) => (view === undefined ? stream : `${stream} ${view}`);
