import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import type { RunningServer } from '../../../kernel/ports/outside/server-runner.js';

const LOOK_EVERY_MS = 25;
/** Timeout of one request. A busy server may respond to a later request. */
const TRY_MS = 5_000;

/**
 * Polls until the server sends any HTTP response. Resolves to the server's socket path, or to null if the signal aborts
 * first.
 */
export async function waitForResponse(
  running: RunningServer,
  host: string,
  signal: AbortSignal,
): Promise<string | null> {
  while (!signal.aborted) {
    const path = await running.socketPath();
    if (path !== null && (await hasResponse(path, host, AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]))))
      return path;
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(waitEnded);
  }
  return null;
}

export function hasResponse(socketPath: string, host: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const headers = { host, 'user-agent': 'stele-health', connection: 'close' };
  const asked = request({ socketPath, path: '/', headers, agent: false, signal });
  asked
    .once('response', (answer) => {
      answer.destroy();
      resolve(true);
    })
    .once('upgrade', (_, socket) => {
      socket.destroy();
      resolve(true);
    })
    .on('error', () => resolve(false))
    .once('close', () => resolve(false))
    .end();
  return promise.finally(() => asked.destroy());
}
