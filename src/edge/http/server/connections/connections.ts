import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FirstHandler } from '../first-handler.js';
import type { Turns } from './turns.js';

/** Limits of a connection, in milliseconds (docs/interface/limits.md, "Connection limits"). */
export const CONNECTION_LIMITS = {
  /** Longer than the proxies in front keep theirs (60 s), so that this server never closes first. */
  keepAliveMs: 65_000,
  /** From the first byte, or from the connection if none has arrived, to the end of the head. */
  firstRequestMs: 20_000,
  /** How long a client may read nothing of a page that is in memory. */
  writeTimeoutMs: 20_000,
};

export type ConnectionsOptions = {
  readonly handler: FirstHandler;
  /** Gives a connection to Node’s HTTP server. */
  readonly giveToNode: (socket: Socket) => void;
  /** Has Node’s HTTP server keep a connection whose client sends no more, until its responses are sent. */
  readonly allowHalfOpen: () => void;
  /** The turns that a connection takes with others of its address. */
  readonly turnsOf: (socket: Socket) => Turns;
};

/**
 * Reads the connections of the HTTP server. Either way Node’s parser judges every request that is unusual, requests of
 * one connection are handled one after the other, and connections of one address take turns.
 */
export type Connections = {
  /** Reads a new connection. */
  accept(socket: Socket): void;
  /** Whether a request on this connection may become an upgrade: it may not overtake responses. */
  canUpgrade(socket: Socket): boolean;
  /**
   * To be called with each request that Node’s parser has read. Calls `handle` when it is the request’s turn, which
   * returns whether it is for a site: its visitor may close their half of the connection and still get the response.
   */
  take(request: IncomingMessage, response: ServerResponse, handle: () => boolean): void;
  /**
   * To be called when Node’s parser refuses what a connection sends. Calls `answer` when the requests before it are
   * answered, with the beginning of the refused head as far as it is known; never if the connection closes first, or the
   * response to the refused request has begun.
   */
  refuse(socket: Socket, fault: Error, answer: (head: Buffer | null) => void): void;
  /** Leaves a connection to other code, with the bytes that were not parsed. */
  release(socket: Socket): void;
  /** From now on connections end with the response in progress; those without one end at once. */
  close(): void;
};

export type OpenConnections = (options: ConnectionsOptions) => Connections;

/** The bytes that Node’s parser could not read, as far as it has them. */
export function rawPacketOf(fault: Error): Buffer | null {
  const packet: unknown = Reflect.get(fault, 'rawPacket');
  return Buffer.isBuffer(packet) ? packet : null;
}
