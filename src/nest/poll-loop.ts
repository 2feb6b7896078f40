import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../kernel/faults/background-task.js';
import { waitEnded } from '../kernel/faults/ignored-fault.js';

/** Pause after the first failure. It doubles with each further failure, up to the usual pause. */
const RETRY_MS = 1_000;

/**
 * Repeats the work until `signal` aborts. Pauses after each run, unless the work returns true because there is more to
 * do. An error is reported for the background task `name`, and followed by a shorter pause.
 */
export async function pollLoop(
  { name, everyMs, signal }: { readonly name: string; readonly everyMs: number; readonly signal: AbortSignal },
  work: () => Promise<boolean>,
): Promise<void> {
  const task = new BackgroundTask(name);
  let retryMs = RETRY_MS;
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      const hasMore = await work();
      task.succeeded();
      retryMs = RETRY_MS;
      if (hasMore) continue;
    } catch (error) {
      if (!signal.aborted) task.failed(error);
      pauseMs = Math.min(retryMs, everyMs);
      retryMs *= 2;
    }
    await delay(pauseMs, undefined, { signal, ref: false }).catch(waitEnded);
  }
}
