import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';
import type { FirstHandler } from '../../http/server/first-handler.js';

export type ConnectionOptions = {
  readonly handler: FirstHandler;
  /** Passes a connection to Node’s HTTP server, which reads it from the first request without a response. */
  readonly handOver: (socket: Socket, turns: Turns) => void;
  /** Returns the turns that a connection takes with others of its address. */
  readonly turnsOf: (socket: Socket) => Turns;
  /** Time that a connection may be silent before its first request, in milliseconds. */
  readonly firstRequestMs: number;
  /** Time that a connection may be silent after a response, in milliseconds. */
  readonly keepAliveMs: number;
  /** Time that a client may read nothing of a response before its connection is cut, in milliseconds. */
  readonly writeTimeoutMs: number;
};
