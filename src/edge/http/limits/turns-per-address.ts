import type { Socket } from 'node:net';
import { AT_ONCE, SharedTurns, type Turns } from '../server/connections/turns.js';
import { type ClientAddress, computeNetwork } from './client-address.js';

/**
 * Returns a function that finds the `Turns` of a connection. All connections from one address share one `Turns` object.
 * Connections from trusted proxies do not wait for turns, because each serves many clients.
 */
export function turnsPerAddress(clientAddress: ClientAddress): (socket: Socket) => Turns {
  const known = new Map<string, { readonly turns: SharedTurns; connections: number }>();
  return (socket) => {
    const address = clientAddress.ofConnection(socket);
    if (address === null) return AT_ONCE;
    const network = computeNetwork(address);
    const shared = known.get(network) ?? { turns: new SharedTurns(), connections: 0 };
    known.set(network, shared);
    shared.connections++;
    socket.once('close', () => {
      if (--shared.connections === 0) known.delete(network);
    });
    return shared.turns;
  };
}
