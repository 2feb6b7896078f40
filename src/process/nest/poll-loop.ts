import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { waitEnded } from '../../kernel/faults/ignored-fault.js';

/** Between the first turns of two loops, in milliseconds: when the process starts, few connections then serve all of them. */
const APART_MS = 10;
/** After so many loops, the first turns begin again without a delay. */
const MOST_APART = 20;

let loops = 0;

/**
 * Does the work again and again until `signal` aborts, with a pause after each time. A fault is reported as one of the
 * background task `name`, and is no reason to stop: the next time may find the database back. Work that answers true has
 * more to do at once.
 */
export async function pollLoop(
  { name, everyMs, signal }: { readonly name: string; readonly everyMs: number; readonly signal: AbortSignal },
  work: () => Promise<boolean>,
): Promise<void> {
  const task = new BackgroundTask(name);
  const first = APART_MS * (loops++ % MOST_APART);
  await delay(first, undefined, { signal, ref: false }).catch(waitEnded);
  while (!signal.aborted) {
    try {
      const hasMore = await work();
      task.succeeded();
      if (hasMore) continue;
    } catch (error) {
      if (!signal.aborted) task.failed(error);
    }
    await delay(everyMs, undefined, { signal, ref: false }).catch(waitEnded);
  }
}
