import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FirstHandler } from '../first-handler.js';
import type { Turns } from './turns.js';

/** Connection limits in milliseconds (docs/interface/limits.md, "Connection limits"). */
export const CONNECTION_LIMITS = {
  /** Longer than the keep-alive time of reverse proxies (60 s), so that this server never closes first. */
  keepAliveMs: 65_000,
  /**
   * Maximum time until the end of the head, measured from the first byte, or from the connection if no byte has
   * arrived.
   */
  firstRequestMs: 20_000,
  /** How long a client may read nothing of a cached page before it is disconnected. */
  writeTimeoutMs: 20_000,
};

export type NodeConnectionPoolOptions = {
  readonly handler: FirstHandler;
  /** Passes a connection to Node’s HTTP server. */
  readonly giveToNode: (socket: Socket) => void;
  /** Makes Node’s HTTP server keep a half-closed connection until all responses have been sent. */
  readonly allowHalfOpen: () => void;
  /** The turns that a connection shares with the others from its address. */
  readonly turnsOf: (socket: Socket) => Turns;
};

/**
 * Reads the connections of the HTTP server. Every implementation lets Node’s parser interpret unusual requests, handles
 * the requests of one connection one after another, and makes the connections of one address take turns.
 */
export type NodeConnectionPool = {
  /** Starts to read a new connection. */
  accept(socket: Socket): void;
  /** Reports whether a request on this connection may become an upgrade now. It must not overtake responses. */
  canUpgrade(socket: Socket): boolean;
  /**
   * Must be called with each request that Node’s parser has read. Calls `handle` when it is the request’s turn.
   * `handle` returns whether the request is for a site, whose visitors still get the response after they close their
   * half of the connection.
   */
  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean): void;
  /**
   * Must be called when Node’s parser refuses data on a connection. Calls `answer` once earlier requests have been
   * answered, with the known beginning of the refused head. Never calls it if the connection closes first or if the
   * response to the refused request has begun.
   */
  refuse(socket: Socket, fault: Error, answer: (head: Buffer | null) => void): void;
  /** Leaves a connection, with its unparsed bytes, to other code. */
  release(socket: Socket): void;
  /** Makes every connection close after its response in progress, or immediately if it has none. */
  close(): void;
};

export type OpenConnections = (options: NodeConnectionPoolOptions) => NodeConnectionPool;

/** Returns the bytes that Node’s parser could not read, if they are known. */
export function readRawPacket(fault: Error): Buffer | null {
  const packet: unknown = Reflect.get(fault, 'rawPacket');
  return Buffer.isBuffer(packet) ? packet : null;
}
