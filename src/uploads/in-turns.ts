import { setImmediate } from 'node:timers/promises';

/** How long work goes on before others have their turn, in milliseconds. */
const TURN_MS = 5;

/** The items of a list, which may be long, one after another; other requests have their turn every 5 ms. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  let until = performance.now() + TURN_MS;
  for (const item of items) {
    yield item;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + TURN_MS;
  }
}
