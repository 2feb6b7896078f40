import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';
import type { FirstHandler } from '../../http/server/first-handler.js';

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
