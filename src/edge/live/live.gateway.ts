import type { IncomingMessage } from 'node:http';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
// Rename the type, because decorator metadata would otherwise refer to the global WebSocket, which loads all of undici.
import type { WebSocket as WsSocket } from 'ws';
import type { IdentifyCaller } from '../../kernel/command-context.js';
import { Refusal } from '../../kernel/refusal.js';
import { type ClientFrame, readFrame } from './clients/client-frame.js';
import { CLOSES_WITHIN_MS, closeUnread } from './clients/close-unread.js';
import { SocketConnection } from './clients/socket-connection.js';
import { message } from './frames/encodings.js';
import { LiveStreamServer } from './live-streams.js';

export const LIVE_PATH = '/v1/live';

const MAX_FRAME_BYTES = 4_096;

/** Close code for “try again later” (IANA registry). */
const TRY_AGAIN_LATER = 1013;

export abstract class SocketAuthenticator {
  /**
   * Returns a function that identifies the caller of the handshake. A caller on a page of another origin is anonymous.
   */
  abstract of(request: IncomingMessage): IdentifyCaller;
  abstract with(token: string): IdentifyCaller;
  /** Returns the problem details (RFC 9457) of a refusal, or of an unexpected error if it is null. */
  abstract problemOf(refusal: Refusal | null): object;
}

/** Makes Nest's adapter deliver every message as a `frame`, whatever it contains. */
export const messageParser = (received: unknown) => ({ event: 'frame', data: readFrame(received) });

/**
 * Serves live streams over WebSockets. Accepts `{ op: "subscribe", stream, after? }`, `{ op: "unsubscribe", stream }`
 * and `{ op: "auth", token }`.
 */
@WebSocketGateway({
  path: LIVE_PATH,
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  autoPong: false, // With `autoPong`, `ws` would respond even if the client does not read.
  closeTimeout: CLOSES_WITHIN_MS,
})
export class LiveGateway implements OnGatewayConnection {
  readonly #clients = new WeakMap<WsSocket, SocketConnection>();

  constructor(
    private readonly live: LiveStreamServer,
    private readonly callers: SocketAuthenticator,
  ) {}

  handleConnection(socket: WsSocket, request: IncomingMessage): void {
    let giveBack: () => void;
    try {
      giveBack = this.live.takeConnection(request);
    } catch (error) {
      const problem = this.callers.problemOf(error instanceof Refusal ? error : null);
      request.socket.write(message(JSON.stringify({ event: 'problem', data: problem })));
      closeUnread(socket, TRY_AGAIN_LATER, 'too many connections');
      return;
    }
    // Count the connection as long as its socket is open, even after a close frame was sent.
    request.socket.once('close', giveBack);
    const client = new SocketConnection({
      socket,
      request,
      live: this.live,
      identify: this.callers.of(request),
      identifyByToken: (token) => this.callers.with(token),
      problemOf: (refusal) => this.callers.problemOf(refusal),
      onGone: () => this.live.remove(client),
    });
    this.#clients.set(socket, client);
    this.live.add(client);
  }

  @SubscribeMessage('frame')
  frame(@ConnectedSocket() socket: WsSocket, @MessageBody() frame: ClientFrame): void {
    this.#clients.get(socket)?.receive(frame);
  }
}
