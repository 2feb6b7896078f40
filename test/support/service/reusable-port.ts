import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections (Linux from 32768, macOS from 49152). */
const [FIRST, LAST] = [20_000, 32_000];

/** A port of loopback for something that stops and starts on it: no connection is given it in the meantime. */
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
