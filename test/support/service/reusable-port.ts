import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below the ephemeral range, which starts at 32768 on Linux and at 49152 on macOS. */
const FIRST = 20_000;
/**
 * Each Jest worker of a run has its own range of ports. Otherwise, another worker could take a port before its server
 * starts, or while its server is stopped.
 */
const [RANGES, PORTS_OF_RANGE] = [8, 1_500];

const given = new Set<number>();

/** Returns a loopback port for a server that stops and restarts. Outgoing connections never use it. */
export async function reusablePort(): Promise<number> {
  // All workers of a run have the same parent process. Its ID gives concurrent runs different first ranges.
  const range = (process.ppid + Number(process.env.JEST_WORKER_ID ?? 0)) % RANGES;
  const first = FIRST + range * PORTS_OF_RANGE;
  for (;;) {
    const port = randomInt(first, first + PORTS_OF_RANGE);
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (!isFree) continue;
    given.add(port);
    return port;
  }
}
