import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Recorded } from '../../kernel/event-store.js';
import { plural } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';
import type { Connection } from './clients/connection.js';
import { type ConnectionLimits, ConnectionQuota } from './clients/connection-quota.js';
import { type HeartbeatReceiver, Heartbeats } from './clients/heartbeats.js';
import { type HttpHeaders, HttpStream, type HttpStreamFormat, streamHeaders } from './clients/http-stream.js';
import { pageSize, resumePoint } from './clients/resume-point.js';
import { shownOf } from './frames/frame.js';
import { RingBudget } from './frames/ring.js';
import { preferredFormat, type StreamFormat } from './frames/stream-format.js';
import type { LiveSource } from './live-source.js';
import type { LiveStream } from './live-stream.js';
import { BEYOND, StreamHistory } from './stream-history.js';
import { StreamResolver } from './stream-resolver.js';
import type { SourcedStream } from './stream-source.js';
import { type LiveTail, StreamTail } from './stream-tail.js';

/** What all rings of a process hold together, in characters. */
const RINGS_HOLD = 64 * 1024 * 1024;

/** A client that takes nothing of a log for so many ms is cut; a slow one is told what it missed and goes on. */
const LOG_FULL_FOR_MS = 600_000;

/** How long clients have to take the last bytes when the process stops, in milliseconds. */
const DISMISSED_WITHIN_MS = 1_000;

/** What is needed here of a Fastify request. */
export type StreamRequest = {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly method: string;
};

/** What is needed here of a Fastify reply. */
export type StreamReply = {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): HttpHeaders;
  status(code: number): StreamReply;
  header(name: string, value: string): StreamReply;
  send(body?: unknown): unknown;
};

/** One page of a stream, for clients that take JSON. */
export type StreamPage = {
  readonly items: readonly { readonly id: number; readonly event: string; readonly data: object }[];
  /** The `?after=` of the next page. */
  readonly after: number;
  readonly limit: number;
  /** The revision of the stream's last event, which is how many were ever recorded. */
  readonly total: number;
  /** Nothing follows this page. */
  readonly ended: boolean;
};

export type LiveStreamOptions = {
  readonly store: LiveSource<Recorded>;
  /** The address that a connection is counted for. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly limits: ConnectionLimits;
};

/** A client whose connection is open when the process stops. */
export type Dismissible = {
  /** Tells the client when to come back, in milliseconds, and ends. Resolves when all is sent, or the client is gone. */
  dismiss(retryMs: number): Promise<void>;
};

/** Lets clients watch streams of the store, and of other sources. A route calls `answer`, and need do nothing else. */
export class LiveStreams {
  /** The streams that a WebSocket may subscribe to. A module offers its own here when it starts. */
  readonly resolver = new StreamResolver();
  readonly heartbeats = new Heartbeats(() => this.#cutSlow());
  /** Connections whose sockets are full. */
  readonly slow = new Set<Connection>();
  /** By the name of the stream in its source, and its view. */
  readonly #tails = new Map<string, LiveTail>();
  /** How many tails of a kind are open, by what they are among. */
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

  /** Tells each client when to reconnect, between 1 and 3 s from now, and ends its stream. Takes a second at most. */
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
   * Answers a request with a stream: `text/event-stream`, `application/x-ndjson`, `text/plain` where the stream has that
   * form, or one page of `application/json`, as `Accept` prefers unless the route says it; 204 when the client has seen everything and nothing follows. Nothing may be sent on `reply`
   * before or after. Rejects with a `Refusal`, before anything was sent, for a resume point that is none, a client
   * that may not watch, or too many connections. The stream need not have events yet: whether it may be watched
   * before its first one is for the route to decide.
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
   * Answers a request with the stream of a log, which has no last event: it goes on behind `after`, or with the newest
   * events where that is 0. The client must have been found to be one that may watch.
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
      textOf: stream.textOf,
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

  /** One page: at most `limit` events after a revision. */
  async page(stream: LiveStream, after: number, limit: number): Promise<StreamPage> {
    const { store } = this.options;
    const { head } = await store.read(stream.stream, BEYOND);
    const events = after < head.revision ? await store.page(stream.stream, after, limit) : [];
    const shown = await shownOf(stream, events);
    const items = events.flatMap(({ revision }, at) => (shown[at] ? [{ id: revision, ...shown[at] }] : []));
    const reached = events.at(-1)?.revision ?? Math.min(after, head.revision);
    const ended = reached === head.revision && (await this.#isOverAfter(stream, reached));
    return { items, after: reached, limit, total: head.revision, ended };
  }

  /** The one tail of a stream, which all its clients share. A cursor must join it at once. */
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

  /** Refuses with `quota_exceeded` a stream for which a tail would be opened that is one too many of its kind. */
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

  /** Takes the place of a connection that watches nothing yet; the function returned gives it back. Refuses as `ConnectionQuota` does. */
  takeConnection(request: IncomingMessage): () => void {
    return this.#quota.connection(this.#addressOf(request));
  }

  /** How streams on this connection take their places; refuses as `ConnectionQuota` does. */
  streamQuotaOf(request: IncomingMessage): (session: string | null) => () => void {
    return this.streamQuotaOfAddress(this.options.addressOf(request));
  }

  /**
   * How streams of a client that watches in another way than on a connection take their places, by the address that it
   * is counted for; refuses as `ConnectionQuota` does.
   */
  streamQuotaOfAddress(address: string): (session: string | null) => () => void {
    return (session) => this.#quota.stream(address, session);
  }

  /** From now on the client gets heartbeats, and is told when the process stops. */
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
