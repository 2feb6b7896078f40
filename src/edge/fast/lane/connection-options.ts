import type { Socket } from 'node:net';
import type { Turns } from '../../http/server/connections/turns.js';
import type { FirstHandler } from '../../http/server/first-handler.js';

export type ConnectionOptions = {
  readonly handler: FirstHandler;
  /** Passes a connection to Node’s HTTP server, beginning with the first request that has no response yet. */
  readonly handOver: (socket: Socket, turns: Turns) => void;
  /** Returns the `Turns` that all connections from the client’s IP address share. */
  readonly turnsOf: (socket: Socket) => Turns;
  /** Maximum silence before the first request of a connection, in milliseconds. */
  readonly firstRequestMs: number;
  /** Maximum silence after a response, in milliseconds. */
  readonly keepAliveMs: number;
  /** A connection is closed if its client reads nothing of a response for this long, in milliseconds. */
  readonly writeTimeoutMs: number;
};
