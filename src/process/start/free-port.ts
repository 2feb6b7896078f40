import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('Could not find a free TCP port.');
  return address.port;
}
