import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CachedResponse } from '../../http/server/first-handler.js';
import type { Turns } from '../../http/server/turns.js';
import type { Forward } from './direct-answer.js';
import type { PlainRequest } from './plain-request.js';

/** Answers requests for hosted sites, and what is asked too often for the framework. */
export type FirstHandler = {
  /** The complete response if it is in memory, else null. */
  cachedResponse(request: PlainRequest): CachedResponse | null;
  /** What answers the request as its answer comes, where that is known at once; else null. */
  forward(request: PlainRequest): Forward | null;
  /**
   * Answers the request and returns true; or returns false, having touched neither argument, and leaves the request to
   * the framework.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
};

export type ConnectionOptions = {
  readonly handler: FirstHandler;
  /** Gives a connection to Node’s HTTP server, which reads it from its first byte that is not yet answered. */
  readonly handOver: (socket: Socket, turns: Turns) => void;
  /** The turns that a connection takes with others of its address. */
  readonly turnsOf: (socket: Socket) => Turns;
  /** How long a connection may be silent before its first request, in milliseconds. */
  readonly firstRequestMs: number;
  /** How long a connection may be silent after a response, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a client may read nothing of a response before its connection is cut, in milliseconds. */
  readonly writeTimeoutMs: number;
};
