import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below the ephemeral range, which starts at 32768 on Linux and at 49152 on macOS. */
const [FIRST, LAST] = [20_000, 32_000];

/** Returns a loopback port for a server that stops and restarts. Outgoing connections never use it. */
export async function reusablePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
