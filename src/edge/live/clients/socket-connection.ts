import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { IdentifyCaller } from '../../../kernel/command-context.js';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { faultText } from '../../../kernel/faults/schema-faults.js';
import { plural } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { message, PING, pong } from '../frames/encodings.js';
import type { LiveStream } from '../live-stream.js';
import type { Dismissible, LiveStreamServer } from '../live-streams.js';
import type { ClientFrame } from './client-frame.js';
import { closeUnread } from './close-unread.js';
import { Connection } from './connection.js';
import { Cursor } from './cursor.js';
import type { HeartbeatReceiver } from './heartbeats.js';

const MAX_STREAMS = 100;

/** Maximum number of frames, including pings, that a client can send within `FRAMES_IN_MS`: two per stream. */
const MAX_FRAMES = 2 * MAX_STREAMS;
const FRAMES_IN_MS = 10_000;

/** Grace period for clients to close the connection when the service stops. */
const LEAVES_WITHIN_MS = 1_000;

/** Close codes from RFC 6455, section 7.4.1, and from the IANA registry (1012). */
const CLOSE = { tooMany: 1008, restarting: 1012 };

/** A watched stream. `giveBack` frees its place in the quota. */
type SocketSubscription = { readonly cursor: Cursor; readonly giveBack: () => void };

export type SocketConnectionOptions = {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly live: LiveStreamServer;
  /** Identifies the caller until the client sends a token. */
  readonly identify: IdentifyCaller;
  readonly identifyByToken: (token: string) => IdentifyCaller;
  /** Returns the problem details (RFC 9457) of a refusal, or of an unexpected error if it is null. */
  readonly problemOf: (refusal: Refusal | null) => object;
  /** Called once, when the connection has ended on either side. */
  readonly onGone: (client: SocketConnection) => void;
};

/** A WebSocket connection that carries many streams. Frames its own messages and bypasses `ws`. */
export class SocketConnection implements HeartbeatReceiver, Dismissible {
  readonly #log = new Logger('Live streams');
  readonly #connection: Connection;
  readonly #subscriptions = new Map<string, SocketSubscription>();
  readonly #takePlace: (session: string | null) => () => void;
  #identify: IdentifyCaller;
  #work: Promise<void> = Promise.resolve();
  #isOver = false;
  /** Whether the client has responded to the last ping. */
  #hasAnswered = true;
  #frames = 0;
  #framesSince = performance.now();

  constructor(private readonly options: SocketConnectionOptions) {
    const { socket, request, live, identify } = options;
    this.#identify = identify;
    this.#takePlace = live.streamQuotaOf(request);
    this.#connection = new Connection({
      socket: request.socket,
      slow: live.slow,
      onDrain: () => this.#advance(),
      onClose: () => this.#leave(),
    });
    socket.on('ping', (data: Buffer) => this.#take(() => this.#connection.write(pong(data))));
    socket.on('pong', () =>
      this.#take(() => {
        this.#hasAnswered = true;
      }),
    );
  }

  receive(frame: ClientFrame): void {
    this.#take(() => {
      this.#work = this.#work.then(() => (this.#isOver ? undefined : this.#handle(frame)));
    });
  }

  beat(): void {
    if (!this.#hasAnswered) {
      this.#connection.cut();
      return;
    }
    this.#hasAnswered = false;
    this.#connection.write(PING);
    for (const { cursor } of this.#subscriptions.values()) void cursor.recheckRights();
  }

  async dismiss(): Promise<void> {
    const { socket } = this.options;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    this.#leave();
    socket.close(CLOSE.restarting, 'the server is restarting');
    const cut = setTimeout(() => socket.terminate(), LEAVES_WITHIN_MS);
    await closed;
    clearTimeout(cut);
  }

  /** Handles a frame that the client sent. After too many frames, closes the connection and reads nothing more. */
  #take(act: () => void) {
    if (this.#isOver) return;
    if (!this.#hasSentTooMany()) return act();
    this.#leave();
    closeUnread(this.options.socket, CLOSE.tooMany, 'too many messages');
  }

  async #handle(frame: ClientFrame): Promise<void> {
    const name = 'stream' in frame ? frame.stream : undefined;
    try {
      if (frame.op === 'subscribe') await this.#subscribe(frame.stream, frame.after);
      else if (frame.op === 'unsubscribe') this.#unsubscribe(frame.stream);
      else if (frame.op === 'auth') this.#identify = this.options.identifyByToken(frame.token);
      else this.#refuseFrame(frame);
    } catch (error) {
      this.#sendProblem(error, name);
    }
  }

  async #subscribe(name: string, after: number): Promise<void> {
    this.#unsubscribe(name);
    if (this.#subscriptions.size >= MAX_STREAMS) {
      refuse('quota_exceeded', `A connection can watch at most ${plural(MAX_STREAMS, 'stream')} at the same time.`);
    }
    const { live } = this.options;
    const stream = await live.resolver.find(name, this.#identify);
    await stream.assertCanWatch();
    if (this.#isOver) return;
    live.assertRoomFor(stream);
    const giveBack = this.#takePlace(stream.session);
    const tail = live.tailOf(stream);
    const cursor: Cursor = new Cursor({
      tail,
      connection: this.#connection,
      encoding: tail.messages(name),
      after,
      onEnd: () => this.#unsubscribe(name),
      recheckRights: (): Promise<void> => this.#recheckRights(name, cursor, stream),
    });
    this.#subscriptions.set(name, { cursor, giveBack });
    cursor.start();
  }

  async #recheckRights(
    name: string,
    cursor: Cursor,
    { assertCanWatch }: Pick<LiveStream, 'assertCanWatch'>,
  ): Promise<void> {
    try {
      await assertCanWatch();
    } catch (error) {
      if (!(error instanceof Refusal) || this.#subscriptions.get(name)?.cursor !== cursor) return;
      // First send the events up to and including the one that revoked the access.
      cursor.advance();
      this.#unsubscribe(name);
      this.#sendProblem(error, name);
    }
  }

  #unsubscribe(name: string): void {
    const subscription = this.#subscriptions.get(name);
    subscription?.cursor.leave();
    subscription?.giveBack();
    this.#subscriptions.delete(name);
  }

  #refuseFrame({ path, message }: Extract<ClientFrame, { op: 'unclear' }>): never {
    return refuse('invalid_request', faultText({ path, message }, 'The message'), [{ path, message }]);
  }

  #sendProblem(error: unknown, name: string | undefined) {
    const refusal = refusalOf(error);
    if (!refusal) this.#log.error('Could not handle a message', error);
    const stream = name === undefined ? {} : { stream: name };
    this.#connection.write(
      message(JSON.stringify({ ...stream, event: 'problem', data: this.options.problemOf(refusal) })),
    );
  }

  #advance() {
    for (const { cursor } of this.#subscriptions.values()) cursor.advance();
  }

  #hasSentTooMany(): boolean {
    const now = performance.now();
    if (now - this.#framesSince > FRAMES_IN_MS) {
      this.#frames = 0;
      this.#framesSince = now;
    }
    return ++this.#frames > MAX_FRAMES;
  }

  #leave() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.release();
    for (const name of [...this.#subscriptions.keys()]) this.#unsubscribe(name);
    this.options.onGone(this);
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  return error instanceof StoreUnavailableError
    ? new Refusal('unavailable', 'The event store is not responding. Try again shortly.')
    : null;
}
