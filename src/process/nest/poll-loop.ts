import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

/**
 * Does the work again and again until `signal` aborts, with a pause after each time. A fault is logged under `name`, and
 * is no reason to stop: the next time may find the database back. Work that answers true has more to do at once.
 */
export async function lookAgain(
  { name, everyMs, signal }: { readonly name: string; readonly everyMs: number; readonly signal: AbortSignal },
  work: () => Promise<boolean>,
): Promise<void> {
  const log = new Logger(name);
  while (!signal.aborted) {
    try {
      if (await work()) continue;
    } catch (error) {
      if (!signal.aborted) log.warn(`Not now: ${error instanceof Error ? error.message : error}`);
    }
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
