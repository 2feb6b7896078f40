import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { IdentifyCaller } from '../kernel/command-context.js';
import { StoreUnavailable } from '../kernel/event-store.js';
import { Refusal, refuse } from '../kernel/refusal.js';
import type { ClientFrame } from './client-frame.js';
import { Connection } from './connection.js';
import { Cursor } from './cursor.js';
import { message } from './encodings.js';
import type { HeartbeatReceiver } from './heartbeats.js';
import type { LiveStream } from './live-stream.js';
import type { Dismissible, LiveStreams } from './live-streams.js';

/** Streams on one connection. */
const MOST_STREAMS = 100;

/** Frames from the client in ten seconds: all its streams, twice. */
const MOST_FRAMES = 2 * MOST_STREAMS;
const FRAMES_IN_MS = 10_000;

/** RFC 6455 section 7.4.1, and the IANA registry for 1012. */
const CLOSE = { tooMany: 1008, restarting: 1012 };

/** A stream that is watched, and what gives its place back. */
type SocketSubscription = { readonly cursor: Cursor; readonly giveBack: () => void };

/** One WebSocket: many streams on one connection. What it is sent is framed here, and shared with others. */
export class SocketConnection implements HeartbeatReceiver, Dismissible {
  readonly #log = new Logger('Live streams');
  readonly #connection: Connection;
  readonly #subscriptions = new Map<string, SocketSubscription>();
  readonly #placeOf: (session: string | null) => () => void;
  #work: Promise<void> = Promise.resolve();
  #isOver = false;
  #hasAnswered = true;
  #frames = 0;
  #framesSince = performance.now();

  constructor(
    private readonly socket: WebSocket,
    request: IncomingMessage,
    private identify: IdentifyCaller,
    private readonly live: LiveStreams,
    private readonly whoWith: (token: string) => IdentifyCaller,
    private readonly problemOf: (refusal: Refusal | null) => object,
    private readonly gone: (client: SocketConnection) => void,
  ) {
    this.#placeOf = live.placesOfStreams(request);
    this.#connection = new Connection(
      request.socket,
      live.slow,
      () => this.#advance(),
      () => this.#leave(),
    );
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
  }

  /** Does what the client asks, one thing after the other. */
  hear(frame: ClientFrame): void {
    if (this.#isTooMany()) {
      this.#leave();
      this.socket.close(CLOSE.tooMany, 'too many frames');
      return;
    }
    this.#work = this.#work.then(() => (this.#isOver ? undefined : this.#obey(frame)));
  }

  beat(): void {
    if (!this.#hasAnswered) {
      this.#connection.cut();
      return;
    }
    this.#hasAnswered = false;
    this.socket.ping();
    for (const { cursor } of this.#subscriptions.values()) void cursor.askAgain();
  }

  async dismiss(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.#leave();
    this.socket.close(CLOSE.restarting, 'the server restarts');
    await closed;
  }

  async #obey(frame: ClientFrame): Promise<void> {
    const name = 'stream' in frame ? frame.stream : undefined;
    try {
      if (frame.op === 'subscribe') await this.#subscribe(frame.stream, frame.after);
      else if (frame.op === 'unsubscribe') this.#unsubscribe(frame.stream);
      else if (frame.op === 'auth') this.identify = this.whoWith(frame.token);
      else this.#refuseFrame(frame);
    } catch (error) {
      this.#tell(error, name);
    }
  }

  async #subscribe(name: string, after: number): Promise<void> {
    this.#unsubscribe(name);
    if (this.#subscriptions.size >= MOST_STREAMS) {
      refuse('quota_exceeded', `One connection may watch ${MOST_STREAMS} streams at once.`);
    }
    const watched = await this.live.resolver.find(name, this.identify);
    await watched.mayWatch();
    if (this.#isOver) return;
    const giveBack = this.#placeOf(watched.session);
    const channel = this.live.channel(watched);
    const ended = () => void this.#unsubscribe(name);
    const askAgain = (): Promise<void> => this.#askAgain(name, cursor, watched);
    const cursor: Cursor = new Cursor(channel, this.#connection, channel.messages(name), after, ended, askAgain);
    this.#subscriptions.set(name, { cursor, giveBack });
    cursor.start();
  }

  async #askAgain(name: string, cursor: Cursor, { mayWatch }: LiveStream): Promise<void> {
    try {
      await mayWatch();
    } catch (error) {
      if (!(error instanceof Refusal) || this.#subscriptions.get(name)?.cursor !== cursor) return;
      // What ended the right is the last thing that is told of the stream.
      cursor.advance();
      this.#unsubscribe(name);
      this.#tell(error, name);
    }
  }

  /** Whether it was watched. */
  #unsubscribe(name: string): boolean {
    const subscription = this.#subscriptions.get(name);
    subscription?.cursor.leave();
    subscription?.giveBack();
    return this.#subscriptions.delete(name);
  }

  #refuseFrame({ path, message }: Extract<ClientFrame, { op: 'unclear' }>): never {
    return refuse('invalid_request', `${path === '' ? 'The frame' : path} ${message}.`, [{ path, message }]);
  }

  #tell(error: unknown, name: string | undefined) {
    const refusal = refusalOf(error);
    if (!refusal) this.#log.error('A frame could not be answered', error);
    const stream = name === undefined ? {} : { stream: name };
    this.#connection.write(message(JSON.stringify({ ...stream, event: 'problem', data: this.problemOf(refusal) })));
  }

  #advance() {
    for (const { cursor } of this.#subscriptions.values()) cursor.advance();
  }

  #isTooMany(): boolean {
    const now = performance.now();
    if (now - this.#framesSince > FRAMES_IN_MS) {
      this.#frames = 0;
      this.#framesSince = now;
    }
    return ++this.#frames > MOST_FRAMES;
  }

  #leave() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.release();
    for (const name of [...this.#subscriptions.keys()]) this.#unsubscribe(name);
    this.gone(this);
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  return error instanceof StoreUnavailable ? new Refusal('unavailable', 'The event store does not answer.') : null;
}
