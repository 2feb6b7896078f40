import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection that moves no byte for so long is not waited for, in milliseconds. */
const SILENT_MS = 1_000;
const LOOK_EVERY_MS = 50;

/** Knows what a server is busy with, so that it can stop without cutting anybody off who is being answered. */
export class Drain {
  readonly #sockets = new Set<Socket>();
  /** Requests that were handed on, and whose answers are not over. */
  readonly #answers = new Map<ServerResponse, IncomingMessage>();
  #isStopping = false;

  constructor(
    private readonly server: Server,
    /** Closes the connections on which nothing is under way. */
    private readonly closeIdle: () => void,
  ) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Counts a request as under way until its answer is over. */
  saw(request: IncomingMessage, response: ServerResponse) {
    if (this.#isStopping) response.shouldKeepAlive = false;
    this.#answers.set(response, request);
    response.once('close', () => this.#answers.delete(response));
  }

  /**
   * Takes no more connections, and resolves when what is under way is over: bodies that still arrive, answers that
   * are worked on or still leave. After `ms` at the latest; a connection that is silent for a second is not waited for.
   */
  async finish(ms: number): Promise<void> {
    this.#isStopping = true;
    // Connections that the system has made already, and we not yet taken, would be reset.
    await pause(LOOK_EVERY_MS);
    this.server.close();
    const deadline = performance.now() + ms;
    const moved = new Map<Socket, { bytes: number; at: number }>();
    const isBusy = (socket: Socket) => {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const last = moved.get(socket);
      if (last?.bytes === bytes) return performance.now() - last.at < SILENT_MS;
      moved.set(socket, { bytes, at: performance.now() });
      return true;
    };
    for (;;) {
      this.closeIdle();
      // A connection that nothing came over yet, as browsers make them ahead, is no request.
      const busy = [...this.#sockets].filter((socket) => socket.bytesRead > 0 && isBusy(socket));
      if ((busy.length === 0 && !this.#isWorking()) || performance.now() > deadline) return;
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Whether a request that has arrived whole waits for the first byte of its answer. */
  #isWorking(): boolean {
    for (const [response, request] of this.#answers) if (request.complete && !response.headersSent) return true;
    return false;
  }
}
