import { WsAdapter } from '@nestjs/platform-ws';
import type { WebSocket, WebSocketServer } from 'ws';

/** Prevents Nest's adapter from logging a stack trace for each malformed frame, which is the client's fault. */
export class LiveAdapter extends WsAdapter {
  override bindErrorHandler(server: WebSocketServer): WebSocketServer {
    server.on('connection', (socket: WebSocket) => socket.on('error', () => undefined));
    server.on('error', (error) => this.logger.error(error));
    return server;
  }
}
