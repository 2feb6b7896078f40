import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { Who } from '../kernel/command-context.js';
import { StoreUnavailable } from '../kernel/event-store.js';
import { Refusal, refuse } from '../kernel/refusal.js';
import type { ClientFrame } from './client-frame.js';
import { Line } from './connection.js';
import { Watcher } from './cursor.js';
import { message } from './encodings.js';
import type { Beating } from './heartbeats.js';
import type { Watched } from './live-stream.js';
import type { Dismissed, LiveStreams } from './live-streams.js';

/** Streams on one connection. */
const MOST_STREAMS = 100;

/** Frames from the client in ten seconds: all its streams, twice. */
const MOST_FRAMES = 2 * MOST_STREAMS;
const FRAMES_IN_MS = 10_000;

/** RFC 6455 section 7.4.1, and the IANA registry for 1012. */
const CLOSE = { tooMany: 1008, restarting: 1012 };

/** A stream that is watched, and what gives its place back. */
type Subscription = { readonly watcher: Watcher; readonly giveBack: () => void };

/** One WebSocket: many streams on one connection. What it is sent is framed here, and shared with others. */
export class SocketClient implements Beating, Dismissed {
  readonly #log = new Logger('Live streams');
  readonly #line: Line;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #placeOf: (session: string | null) => () => void;
  #work: Promise<void> = Promise.resolve();
  #isOver = false;
  #hasAnswered = true;
  #frames = 0;
  #framesSince = performance.now();

  constructor(
    private readonly socket: WebSocket,
    request: IncomingMessage,
    private who: Who,
    private readonly live: LiveStreams,
    private readonly whoWith: (token: string) => Who,
    private readonly problemOf: (refusal: Refusal | null) => object,
    private readonly gone: (client: SocketClient) => void,
  ) {
    this.#placeOf = live.placesOfStreams(request);
    this.#line = new Line(
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
      this.#line.cut();
      return;
    }
    this.#hasAnswered = false;
    this.socket.ping();
    for (const { watcher } of this.#subscriptions.values()) void watcher.askAgain();
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
      else if (frame.op === 'auth') this.who = this.whoWith(frame.token);
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
    const watched = await this.live.names.find(name, this.who);
    await watched.mayWatch();
    if (this.#isOver) return;
    const giveBack = this.#placeOf(watched.session);
    const channel = this.live.channel(watched);
    const ended = () => void this.#unsubscribe(name);
    const askAgain = (): Promise<void> => this.#askAgain(name, watcher, watched);
    const watcher: Watcher = new Watcher(channel, this.#line, channel.messages(name), after, ended, askAgain);
    this.#subscriptions.set(name, { watcher, giveBack });
    watcher.start();
  }

  async #askAgain(name: string, watcher: Watcher, { mayWatch }: Watched): Promise<void> {
    try {
      await mayWatch();
    } catch (error) {
      if (!(error instanceof Refusal) || this.#subscriptions.get(name)?.watcher !== watcher) return;
      // What ended the right is the last thing that is told of the stream.
      watcher.advance();
      this.#unsubscribe(name);
      this.#tell(error, name);
    }
  }

  /** Whether it was watched. */
  #unsubscribe(name: string): boolean {
    const subscription = this.#subscriptions.get(name);
    subscription?.watcher.leave();
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
    this.#line.write(message(JSON.stringify({ ...stream, event: 'problem', data: this.problemOf(refusal) })));
  }

  #advance() {
    for (const { watcher } of this.#subscriptions.values()) watcher.advance();
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
    this.#line.release();
    for (const name of [...this.#subscriptions.keys()]) this.#unsubscribe(name);
    this.gone(this);
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  return error instanceof StoreUnavailable ? new Refusal('unavailable', 'The event store does not answer.') : null;
}
