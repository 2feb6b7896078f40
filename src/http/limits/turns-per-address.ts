import type { Socket } from 'node:net';
import { Turns } from '../server/turns.js';
import { type ClientAddress, networkOf } from './client-address.js';

/**
 * The turns that a connection takes, shared by all connections of its address. Null for those of trusted proxies, since
 * each speaks for many clients.
 */
export function turnsPerAddress(clientAddress: ClientAddress): (socket: Socket) => Turns | null {
  const known = new Map<string, { readonly turns: Turns; connections: number }>();
  return (socket) => {
    const address = clientAddress.ofConnection(socket);
    if (address === null) return null;
    const network = networkOf(address);
    const shared = known.get(network) ?? { turns: new Turns(), connections: 0 };
    known.set(network, shared);
    shared.connections++;
    socket.once('close', () => {
      if (--shared.connections === 0) known.delete(network);
    });
    return shared.turns;
  };
}
