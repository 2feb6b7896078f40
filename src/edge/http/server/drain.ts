import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A shutdown stops waiting for a connection if no byte has moved on it for this long. */
const IDLE_MS = 1_000;
const POLL_MS = 50;

/** Lets a server stop without cutting off requests in progress. */
export class Drain {
  readonly #sockets = new Set<Socket>();
  readonly #responses = new Map<ServerResponse, IncomingMessage>();
  #isStopping = false;

  constructor(
    private readonly server: Server,
    private readonly closeIdle: () => void,
  ) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Counts a request as being in progress until its response is closed. */
  track(request: IncomingMessage, response: ServerResponse) {
    if (this.#isStopping) response.shouldKeepAlive = false;
    this.#responses.set(response, request);
    response.once('close', () => this.#responses.delete(response));
  }

  /**
   * Stops accepting connections, and waits up to `ms` milliseconds for requests in progress, except on connections that
   * have been silent for a second.
   */
  async finish(ms: number): Promise<void> {
    this.#isStopping = true;
    // Closing now would reset connections that the operating system has accepted but Node has not seen yet.
    await pause(POLL_MS);
    this.server.close();
    const deadline = performance.now() + ms;
    const activity = new Map<Socket, { bytes: number; at: number }>();
    const isBusy = (socket: Socket) => {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const last = activity.get(socket);
      if (last?.bytes === bytes) return performance.now() - last.at < IDLE_MS;
      activity.set(socket, { bytes, at: performance.now() });
      return true;
    };
    for (;;) {
      this.closeIdle();
      // Browsers open connections in advance. If no byte has arrived on a connection, there is no request.
      const busy = [...this.#sockets].filter((socket) => socket.bytesRead > 0 && isBusy(socket));
      if ((busy.length === 0 && !this.#isWorking()) || performance.now() > deadline) return;
      await pause(POLL_MS);
    }
  }

  /** Reports whether a request has arrived completely and its response has not begun. */
  #isWorking(): boolean {
    for (const [response, request] of this.#responses) if (request.complete && !response.headersSent) return true;
    return false;
  }
}
