import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  CONNECTION_LIMITS,
  type NodeConnectionPool,
  type NodeConnectionPoolOptions,
  type OpenConnections,
  readRawPacket,
} from '../http/server/connections/connections.js';
import { namesOneHost } from '../http/server/hosts/one-host.js';
import { FastPath } from './lane/fast-path.js';
import type { CopyForSendfile } from './off-heap-file.js';
import { RequestReader } from './reading/request-reader.js';

/**
 * Opens connections on the fast path, which bypasses Node’s HTTP server. Connections that leave the fast path are
 * passed on to Node’s HTTP server.
 */
export const openFastConnections =
  (copyForSendfile: CopyForSendfile): OpenConnections =>
  (options) =>
    new FastConnections(options, copyForSendfile);

class FastConnections implements NodeConnectionPool {
  readonly #lane: FastPath;
  readonly #readers = new WeakMap<Socket, RequestReader>();

  constructor({ handler, giveToNode, turnsOf }: NodeConnectionPoolOptions, copyForSendfile: CopyForSendfile) {
    this.#lane = new FastPath({
      ...CONNECTION_LIMITS,
      handler: {
        cachedResponse: (request) => handler.cachedResponse(request),
        forward: (request) => handler.forward(request),
        answer: (request, response) => namesOneHost(request) && handler.answer(request, response),
      },
      handOver: (socket, turns) => {
        giveToNode(socket);
        this.#readers.set(socket, new RequestReader(socket, turns));
      },
      turnsOf,
      copyForSendfile,
    });
  }

  accept(socket: Socket) {
    this.#lane.accept(socket);
  }

  /**
   * Always true. An upgrade request cannot overtake earlier responses, because `RequestReader` does not parse it until
   * they have been sent.
   */
  canUpgrade(): boolean {
    return true;
  }

  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean) {
    this.#readers.get(request.socket)?.track(request, response);
    handle();
  }

  refuse(socket: Socket, fault: Error, answer: (head: Buffer | null) => void) {
    const reader = this.#readers.get(socket);
    const head = reader?.begunHead ?? readRawPacket(fault);
    if (reader) reader.fail(() => answer(head));
    else answer(head);
  }

  release(socket: Socket) {
    this.#readers.get(socket)?.release();
  }

  close() {
    this.#lane.close();
  }
}
