import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FirstHandler } from '../first-handler.js';
import type { Turns } from './turns.js';

/** Connection limits in milliseconds (docs/interface/limits.md, "Connection limits"). */
export const CONNECTION_LIMITS = {
  /** Longer than the keep-alive time of proxies in front (60 s), so that this server never closes first. */
  keepAliveMs: 65_000,
  /** From the first byte, or from the connection if none has arrived, to the end of the head. */
  firstRequestMs: 20_000,
  /** Time after which a client that reads nothing of a page in memory is cut off. */
  writeTimeoutMs: 20_000,
};

export type NodeConnectionPoolOptions = {
  readonly handler: FirstHandler;
  /** Hands a connection over to Node’s HTTP server. */
  readonly giveToNode: (socket: Socket) => void;
  /** Makes Node’s HTTP server keep a half-closed connection until all responses are sent. */
  readonly allowHalfOpen: () => void;
  /** The turns that a connection shares with others of its address. */
  readonly turnsOf: (socket: Socket) => Turns;
};

/**
 * Reads the connections of the HTTP server. In every implementation, Node’s parser evaluates unusual requests, the
 * requests of one connection are handled one after the other, and the connections of one address take turns.
 */
export type NodeConnectionPool = {
  /** Reads a new connection. */
  accept(socket: Socket): void;
  /** Whether a request on this connection may become an upgrade now: it must not overtake responses. */
  canUpgrade(socket: Socket): boolean;
  /**
   * Must be called with each request that Node’s parser has read. Calls `handle` when it is the request’s turn.
   * `handle` returns whether the request is for a site, whose visitors may close their half of the connection and still
   * get the response.
   */
  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean): void;
  /**
   * Must be called when Node’s parser refuses data on a connection. Calls `answer` after the responses to earlier
   * requests, with the known beginning of the refused head. Never calls it if the connection closes first or the
   * response to the refused request has begun.
   */
  refuse(socket: Socket, fault: Error, answer: (head: Buffer | null) => void): void;
  /** Leaves a connection, and its bytes that were not parsed, to other code. */
  release(socket: Socket): void;
  /** From now on, a connection closes after its response in progress, or immediately if there is none. */
  close(): void;
};

export type OpenConnections = (options: NodeConnectionPoolOptions) => NodeConnectionPool;

/** The bytes that Node’s parser could not read, if they are known. */
export function readRawPacket(fault: Error): Buffer | null {
  const packet: unknown = Reflect.get(fault, 'rawPacket');
  return Buffer.isBuffer(packet) ? packet : null;
}
