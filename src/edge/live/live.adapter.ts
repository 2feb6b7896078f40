import { WsAdapter } from '@nestjs/platform-ws';
import type { WebSocket, WebSocketServer } from 'ws';

/**
 * Prevents Nest's adapter from logging a stack trace for each malformed frame. Such a frame is the client's fault and
 * closes the connection anyway.
 */
export class LiveAdapter extends WsAdapter {
  override bindErrorHandler(server: WebSocketServer): WebSocketServer {
    server.on('connection', (socket: WebSocket) => socket.on('error', () => undefined));
    server.on('error', (error) => this.logger.error(error));
    return server;
  }
}
