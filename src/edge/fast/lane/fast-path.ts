import type { Socket } from 'node:net';
import type { CopyForSendfile } from '../off-heap-file.js';
import type { ConnectionOptions } from './connection-options.js';
import { FastPathConnection } from './fast-path-connection.js';
import { ResponseCache } from './response-cache.js';

type FastPathOptions = ConnectionOptions & {
  readonly copyForSendfile: CopyForSendfile;
};

const keepAlive = (ms: number) => `Connection: keep-alive\r\nKeep-Alive: timeout=${ms / 1_000}\r\n\r\n`;

/**
 * Handles new connections as long as their requests are plain and for hosted sites. This avoids Node’s parser and
 * objects, which cost more than finding a page (decision 0002). At the first other request, Node’s HTTP server takes
 * over the connection permanently.
 */
export class FastPath {
  readonly #connections = new Set<FastPathConnection>();
  readonly #responses: ResponseCache;
  #isClosing = false;

  constructor(private readonly options: FastPathOptions) {
    this.#responses = new ResponseCache(keepAlive(options.keepAliveMs), options.copyForSendfile);
  }

  accept(socket: Socket) {
    const connection = new FastPathConnection(
      socket,
      this.options,
      this.#responses,
      () => this.#isClosing,
      () => this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }

  /** Closes idle connections immediately, and all others after their current response. */
  close() {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.endIfIdle();
  }
}
