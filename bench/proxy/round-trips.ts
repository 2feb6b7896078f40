import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Sends `count` messages on one WebSocket, one after the other. Returns the round-trip time of each in milliseconds.
 */
export async function roundTrips(url: string, headers: Record<string, string>, count: number): Promise<number[]> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const sent = performance.now();
    socket.send('a message of some twenty letters');
    await once(socket, 'message');
    took.push(performance.now() - sent);
  }
  socket.close();
  return took;
}
