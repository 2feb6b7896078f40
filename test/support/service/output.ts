import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 10;

/**
 * Waits until `text` has been printed. Output has its own pipe, so it may arrive later than the response to a request.
 */
export async function waitForOutput(printed: () => string, text: string | RegExp, withinMs = 60_000): Promise<void> {
  const hasArrived = () => (typeof text === 'string' ? printed().includes(text) : text.test(printed()));
  for (const end = Date.now() + withinMs; !hasArrived(); await delay(LOOK_AGAIN_MS))
    if (Date.now() > end) throw new Error(`${text} was not printed, but this was:\n${printed()}`);
}
