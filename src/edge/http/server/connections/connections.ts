import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FirstHandler } from '../first-handler.js';
import type { Turns } from './turns.js';

/** Connection limits in milliseconds (docs/interface/limits.md, "Connection limits"). */
export const CONNECTION_LIMITS = {
  /** Longer than the keep-alive time of reverse proxies (60 s), so that this server never closes first. */
  keepAliveMs: 65_000,
  /**
   * Maximum time for the complete head of a request to arrive. It is counted from the first byte of the head, or from
   * the opening of the connection if no byte has arrived yet.
   */
  firstRequestMs: 20_000,
  /** A client that reads nothing of a cached page for this long is disconnected. */
  writeTimeoutMs: 20_000,
};

export type NodeConnectionPoolOptions = {
  readonly handler: FirstHandler;
  readonly giveToNode: (socket: Socket) => void;
  /**
   * Makes Node’s HTTP server keep half-open connections: after a client has closed its half, the connection stays open
   * until all responses have been sent.
   */
  readonly allowHalfOpen: () => void;
  /** Returns the `Turns` object that all connections from one IP address share. */
  readonly turnsOf: (socket: Socket) => Turns;
};

/**
 * Reads the connections of the HTTP server. Node’s parser interprets unusual requests, each connection's requests are
 * handled one after another, and the connections of one address take turns.
 */
export type NodeConnectionPool = {
  accept(socket: Socket): void;
  /**
   * Reports whether a request on this connection may become an upgrade now. An upgrade must not overtake the responses
   * to earlier requests.
   */
  canUpgrade(socket: Socket): boolean;
  /**
   * Must be called with each request that Node’s parser has read. Calls `handle` when it is the request’s turn.
   * `handle` returns whether the request is for a site. A site's visitor may close its half of the connection before
   * the response.
   */
  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean): void;
  /**
   * Must be called when Node’s parser refuses data. After the responses to earlier requests, calls `answer` with the
   * known beginning of the refused head. Does not call it if the connection closes first, or if the response to the
   * refused request has begun.
   */
  refuse(socket: Socket, fault: Error, answer: (head: Buffer | null) => void): void;
  /** Stops managing a connection. The connection and its unparsed bytes then belong to the caller. */
  release(socket: Socket): void;
  /** Closes idle connections immediately, and all others after their current response. */
  close(): void;
};

export type OpenConnections = (options: NodeConnectionPoolOptions) => NodeConnectionPool;

/** Returns the bytes that Node’s parser could not read, if they are known. */
export function readRawPacket(fault: Error): Buffer | null {
  const packet: unknown = Reflect.get(fault, 'rawPacket');
  return Buffer.isBuffer(packet) ? packet : null;
}
