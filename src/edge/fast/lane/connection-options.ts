import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';
import type { FirstHandler } from '../../http/server/first-handler.js';

export type ConnectionOptions = {
  readonly handler: FirstHandler;
  /** Passes a connection to Node’s HTTP server, which reads it from the first request that has no response yet. */
  readonly handOver: (socket: Socket, turns: Turns) => void;
  /** Returns the turns that a connection shares with the other connections from its IP address. */
  readonly turnsOf: (socket: Socket) => Turns;
  /** How long a connection may be silent before its first request, in milliseconds. */
  readonly firstRequestMs: number;
  /** How long a connection may be silent after a response, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a client may read nothing of a response before its connection is closed, in milliseconds. */
  readonly writeTimeoutMs: number;
};
