import { createRequire } from 'node:module';
import { once } from 'node:events';

const { WebSocket } = createRequire(new URL('../../package.json', import.meta.url))('ws');

/** Milliseconds that each of so many messages took there and back, one after the other on one WebSocket. */
export async function roundTrips(url, headers, count) {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  const took = [];
  for (let n = 0; n < count; n++) {
    const sent = performance.now();
    socket.send('a message of some twenty letters');
    await once(socket, 'message');
    took.push(performance.now() - sent);
  }
  socket.close();
  return took;
}
