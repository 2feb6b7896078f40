import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { Who } from '../kernel/command-context.js';
import { Refusal } from '../kernel/refusal.js';
import { type ClientFrame, readFrame } from './client-frame.js';
import { message } from './encodings.js';
import { LiveStreams } from './live-streams.js';
import { SocketClient } from './socket-connection.js';

/** Where WebSockets are taken, on the service’s own host. */
export const LIVE_PATH = '/v1/live';

/** Of one frame from a client, in bytes. */
const LARGEST_FRAME = 4_096;

/** To be tried again later (IANA registry of close codes). */
const TRY_AGAIN_LATER = 1013;

/** What the gateway must know of whoever connects, and how it says no. */
export abstract class SocketCallers {
  /** Who shook hands: by his headers; a page of another origin is nobody. */
  abstract of(request: IncomingMessage): Who;
  /** Who comes with this token. */
  abstract with(token: string): Who;
  /** RFC 9457; null for what nobody expected. */
  abstract problemOf(refusal: Refusal | null): object;
}

/** For Nest’s adapter: every message is one `frame`, whatever it says. */
export const messageParser = (received: unknown) => ({ event: 'frame', data: readFrame(received) });

/** Live streams on WebSockets: `{ op: "subscribe", stream, after? }`, `{ op: "unsubscribe", stream }`, `{ op: "auth", token }`. */
@WebSocketGateway({ path: LIVE_PATH, maxPayload: LARGEST_FRAME, perMessageDeflate: false })
export class LiveGateway implements OnGatewayConnection {
  readonly #clients = new WeakMap<WebSocket, SocketClient>();

  constructor(
    @Inject(LiveStreams) private readonly live: LiveStreams,
    @Inject(SocketCallers) private readonly callers: SocketCallers,
  ) {}

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    let giveBack: () => void;
    try {
      giveBack = this.live.placeOfConnection(request);
    } catch (error) {
      const problem = this.callers.problemOf(error instanceof Refusal ? error : null);
      request.socket.write(message(JSON.stringify({ event: 'problem', data: problem })));
      socket.close(TRY_AGAIN_LATER, 'no more connections');
      return;
    }
    const client = new SocketClient(
      socket,
      request,
      this.callers.of(request),
      this.live,
      (token) => this.callers.with(token),
      (refusal) => this.callers.problemOf(refusal),
      () => {
        this.live.leave(client);
        this.live.heartbeats.remove(client);
        giveBack();
      },
    );
    this.#clients.set(socket, client);
    this.live.enter(client);
    this.live.heartbeats.add(client);
  }

  @SubscribeMessage('frame')
  frame(@ConnectedSocket() socket: WebSocket, @MessageBody() frame: ClientFrame): void {
    this.#clients.get(socket)?.hear(frame);
  }
}
