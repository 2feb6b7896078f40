import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { EventStore } from '../kernel/event-store.js';
import { refuse } from '../kernel/refusal.js';
import type { Connection } from './connection.js';
import { type ConnectionLimits, ConnectionQuota } from './connection-quota.js';
import { Heartbeats } from './heartbeats.js';
import { type HttpHeaders, HttpStream, streamHeaders } from './http-stream.js';
import type { LiveStream } from './live-stream.js';
import { pageSize, resumePoint } from './resume-point.js';
import { RingBudget } from './ring.js';
import { preferredFormat } from './stream-format.js';
import { StreamHistory } from './stream-history.js';
import { StreamResolver } from './stream-resolver.js';
import { StreamTail } from './stream-tail.js';

/** What all rings of a process hold together, in characters. */
const ROOM = 64 * 1024 * 1024;

/** A client that takes nothing for so long is cut; it resumes when it can. Milliseconds. */
const FULL_FOR_MS = 10_000;

/** No stream reaches it. */
const BEYOND = 2_147_483_647;

/** How long clients have to take the last bytes when the process stops, in milliseconds. */
const DISMISSED_WITHIN_MS = 1_000;

/** As much of a Fastify request as is needed here. */
export type StreamRequest = {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly method: string;
};

/** As much of a Fastify reply. */
export type StreamReply = {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): HttpHeaders;
  status(code: number): StreamReply;
  header(name: string, value: string): StreamReply;
  send(body?: unknown): unknown;
};

/** One page of a stream, for those who take JSON. */
export type StreamPage = {
  readonly items: readonly { readonly id: number; readonly event: string; readonly data: object }[];
  /** What to ask the next page with: `?after=`. */
  readonly after: number;
  readonly limit: number;
  /** The revision of the stream's last event: how many were ever recorded. */
  readonly total: number;
  /** Nothing follows what is in here. */
  readonly ended: boolean;
};

export type LiveStreamOptions = {
  /** Whom a connection is counted for. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly most: ConnectionLimits;
};

/** What stays open of a client when the process stops. */
export type Dismissible = { dismiss(retryMs: number): Promise<void> };

/** Lets clients watch streams of the store. A route calls `answer`, and has nothing else to do. */
export class LiveStreams {
  /** What a WebSocket may subscribe to. A module offers its streams here when it starts. */
  readonly resolver = new StreamResolver();
  readonly heartbeats = new Heartbeats(() => this.#cutSlow());
  /** Connections that take nothing more for now. */
  readonly slow = new Set<Connection>();
  readonly #channels = new Map<string, StreamTail>();
  readonly #clients = new Set<Dismissible>();
  readonly #budget = new RingBudget(ROOM);
  readonly #history: StreamHistory;
  readonly #connectionQuota: ConnectionQuota;
  #isStopping = false;

  constructor(
    private readonly store: EventStore,
    private readonly options: LiveStreamOptions,
  ) {
    this.#history = new StreamHistory(store);
    this.#connectionQuota = new ConnectionQuota(options.most);
  }

  async start(): Promise<void> {
    this.heartbeats.start();
  }

  /** Tells every client when to come back, each at a time of its own, and ends its stream. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.heartbeats.stop();
    const dismissed = [...this.#clients].map((client) => client.dismiss(1_000 + Math.floor(Math.random() * 2_000)));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, DISMISSED_WITHIN_MS);
    await Promise.race([Promise.all(dismissed), late]);
    clearTimeout(timer);
  }

  /**
   * Answers a request with a stream: `text/event-stream`, `application/x-ndjson`, or one page of `application/json`,
   * as `Accept` has it; 204 when the client has seen everything and nothing follows. Nothing may be sent on `reply`
   * before or after. Rejects with a `Refusal`, before anything was sent, for a resume point that is none, a caller
   * that may not watch, or too many connections. The stream itself need not exist yet: whether a name is one of
   * somebody's is for the caller of this to know.
   */
  async answer(request: StreamRequest, reply: StreamReply, stream: LiveStream): Promise<void> {
    const form = preferredFormat(request.headers.accept);
    const after = resumePoint(request.headers, request.query);
    const limit = pageSize(request.query);
    await stream.mayWatch();

    if (form === 'page') return void reply.header('vary', 'accept').send(await this.page(stream, after, limit));
    if (after > 0 && (await this.#isOverAfter(stream, after))) return void reply.status(204).send();
    if (request.method === 'HEAD') {
      for (const [name, value] of Object.entries(streamHeaders(form))) reply.header(name, value);
      return void reply.send();
    }

    const giveBack = this.#placed(request.raw, (address) => this.#connectionQuota.answer(address, stream.session));
    reply.hijack();
    if (request.raw.socket.destroyed) return giveBack();
    const client = new HttpStream(
      request.raw,
      reply.raw,
      form,
      reply.getHeaders(),
      stream.mayWatch,
      { tail: this.channel(stream), after },
      this.slow,
      () => {
        if (!this.leave(client)) return;
        this.heartbeats.remove(client);
        giveBack();
      },
    );
    this.enter(client);
    this.heartbeats.add(client);
    client.start();
  }

  /** At most `limit` events after a revision. */
  async page(stream: LiveStream, after: number, limit: number): Promise<StreamPage> {
    const { head } = await this.store.read(stream.stream, BEYOND);
    const events = after < head.revision ? await this.store.page(stream.stream, after, limit) : [];
    const items = events.flatMap((event) => {
      const shown = stream.frameOf(event);
      return shown ? [{ id: event.revision, ...shown }] : [];
    });
    const reached = events.at(-1)?.revision ?? Math.min(after, head.revision);
    const ended = reached === head.revision && (await this.#isOverAfter(stream, reached));
    return { items, after: reached, limit, total: head.revision, ended };
  }

  /** The one tail of a stream. Whoever asks for it joins it at once. */
  channel(stream: LiveStream): StreamTail {
    const open = this.#channels.get(stream.stream);
    if (open) return open;
    const made = new StreamTail(stream, this.store, this.#history, this.#budget, () => {
      if (this.#channels.get(stream.stream) === made) this.#channels.delete(stream.stream);
    });
    this.#channels.set(stream.stream, made);
    return made;
  }

  /** A connection's place, before it watches anything; the answer gives it back. Refuses as `ConnectionQuota` does. */
  placeOfConnection(request: IncomingMessage): () => void {
    return this.#placed(request, (address) => this.#connectionQuota.connection(address));
  }

  /** Gives out the places of streams on a connection that has its own. */
  placesOfStreams(request: IncomingMessage): (session: string | null) => () => void {
    const address = this.options.addressOf(request);
    return (session) => this.#connectionQuota.stream(address, session);
  }

  enter(client: Dismissible): void {
    this.#clients.add(client);
  }

  /** Whether it was there. */
  leave(client: Dismissible): boolean {
    return this.#clients.delete(client);
  }

  #placed(request: IncomingMessage, take: (address: string) => () => void): () => void {
    if (this.#isStopping) refuse('unavailable', 'This server is about to stop.');
    return take(this.options.addressOf(request));
  }

  async #isOverAfter({ stream, finalTypes }: LiveStream, after: number): Promise<boolean> {
    if (finalTypes.size === 0 || after >= BEYOND) return false;
    const [last, next] = await this.store.page(stream, after - 1, 2);
    return last?.revision === after && next === undefined && finalTypes.has(last.type);
  }

  #cutSlow() {
    const long = performance.now() - FULL_FOR_MS;
    for (const line of this.slow) if ((line.fullSince ?? Number.POSITIVE_INFINITY) < long) line.cut();
  }
}
