import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import type { RunningProgram } from '../../../kernel/ports/outside/programs.js';

const LOOK_EVERY_MS = 25;
/** Of one try: a program may be busy with what it does first, and answer the next one. */
const TRY_MS = 5_000;

/**
 * Asks a program that was started until it answers, whatever it answers. Resolves to where; null where the signal is
 * aborted before.
 */
export async function firstAnswer(running: RunningProgram, host: string, signal: AbortSignal): Promise<string | null> {
  while (!signal.aborted) {
    const path = await running.socketPath();
    if (path !== null && (await answers(path, host, AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]))))
      return path;
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(waitEnded);
  }
  return null;
}

/** Whether anything in HTTP comes back. */
export function answers(socketPath: string, host: string, signal: AbortSignal): Promise<boolean> {
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
