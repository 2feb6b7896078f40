import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { EventStore } from '../kernel/event-store.js';
import { refuse } from '../kernel/refusal.js';
import type { Line } from './connection.js';
import { type MostConnections, Places } from './connection-quota.js';
import { Heartbeats } from './heartbeats.js';
import { type Headers, HttpClient, streamHeaders } from './http-stream.js';
import type { Watched } from './live-stream.js';
import { pageSize, resumePoint } from './resume-point.js';
import { Room } from './ring.js';
import { wantedForm } from './stream-format.js';
import { History } from './stream-history.js';
import { Names } from './stream-resolver.js';
import { Channel } from './stream-tail.js';

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
  getHeaders(): Headers;
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

export type Surroundings = {
  /** Whom a connection is counted for. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly most: MostConnections;
};

/** What stays open of a client when the process stops. */
export type Dismissed = { dismiss(retryMs: number): Promise<void> };

/** Lets clients watch streams of the store. A route calls `answer`, and has nothing else to do. */
export class LiveStreams {
  /** What a WebSocket may subscribe to. A module offers its streams here when it starts. */
  readonly names = new Names();
  readonly heartbeats = new Heartbeats(() => this.#cutSlow());
  /** Connections that take nothing more for now. */
  readonly slow = new Set<Line>();
  readonly #channels = new Map<string, Channel>();
  readonly #clients = new Set<Dismissed>();
  readonly #room = new Room(ROOM);
  readonly #history: History;
  readonly #places: Places;
  #isStopping = false;

  constructor(
    private readonly store: EventStore,
    private readonly surroundings: Surroundings,
  ) {
    this.#history = new History(store);
    this.#places = new Places(surroundings.most);
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
  async answer(request: StreamRequest, reply: StreamReply, watched: Watched): Promise<void> {
    const form = wantedForm(request.headers.accept);
    const after = resumePoint(request.headers, request.query);
    const limit = pageSize(request.query);
    await watched.mayWatch();

    if (form === 'page') return void reply.header('vary', 'accept').send(await this.page(watched, after, limit));
    if (after > 0 && (await this.#isOverAfter(watched, after))) return void reply.status(204).send();
    if (request.method === 'HEAD') {
      for (const [name, value] of Object.entries(streamHeaders(form))) reply.header(name, value);
      return void reply.send();
    }

    const giveBack = this.#placed(request.raw, (address) => this.#places.answer(address, watched.session));
    reply.hijack();
    if (request.raw.socket.destroyed) return giveBack();
    const client = new HttpClient(
      request.raw,
      reply.raw,
      form,
      reply.getHeaders(),
      watched.mayWatch,
      { channel: this.channel(watched), after },
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
  async page(watched: Watched, after: number, limit: number): Promise<StreamPage> {
    const { head } = await this.store.read(watched.stream, BEYOND);
    const events = after < head.revision ? await this.store.page(watched.stream, after, limit) : [];
    const items = events.flatMap((event) => {
      const shown = watched.frameOf(event);
      return shown ? [{ id: event.revision, ...shown }] : [];
    });
    const reached = events.at(-1)?.revision ?? Math.min(after, head.revision);
    const ended = reached === head.revision && (await this.#isOverAfter(watched, reached));
    return { items, after: reached, limit, total: head.revision, ended };
  }

  /** The one tail of a stream. Whoever asks for it joins it at once. */
  channel(watched: Watched): Channel {
    const open = this.#channels.get(watched.stream);
    if (open) return open;
    const made = new Channel(watched, this.store, this.#history, this.#room, () => {
      if (this.#channels.get(watched.stream) === made) this.#channels.delete(watched.stream);
    });
    this.#channels.set(watched.stream, made);
    return made;
  }

  /** A connection's place, before it watches anything; the answer gives it back. Refuses as `Places` does. */
  placeOfConnection(request: IncomingMessage): () => void {
    return this.#placed(request, (address) => this.#places.connection(address));
  }

  /** Gives out the places of streams on a connection that has its own. */
  placesOfStreams(request: IncomingMessage): (session: string | null) => () => void {
    const address = this.surroundings.addressOf(request);
    return (session) => this.#places.stream(address, session);
  }

  enter(client: Dismissed): void {
    this.#clients.add(client);
  }

  /** Whether it was there. */
  leave(client: Dismissed): boolean {
    return this.#clients.delete(client);
  }

  #placed(request: IncomingMessage, take: (address: string) => () => void): () => void {
    if (this.#isStopping) refuse('unavailable', 'This server is about to stop.');
    return take(this.surroundings.addressOf(request));
  }

  async #isOverAfter({ stream, finalTypes }: Watched, after: number): Promise<boolean> {
    if (finalTypes.size === 0 || after >= BEYOND) return false;
    const [last, next] = await this.store.page(stream, after - 1, 2);
    return last?.revision === after && next === undefined && finalTypes.has(last.type);
  }

  #cutSlow() {
    const long = performance.now() - FULL_FOR_MS;
    for (const line of this.slow) if ((line.fullSince ?? Number.POSITIVE_INFINITY) < long) line.cut();
  }
}
