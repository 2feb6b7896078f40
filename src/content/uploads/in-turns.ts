import { setImmediate } from 'node:timers/promises';

/** Time after which other requests get a turn. */
const TURN_MS = 5;

/**
 * Yields the items of a possibly long list, and gives other requests a turn every 5 ms. Awaiting items is not enough
 * for that: awaiting one that is already available lets no other request run.
 */
export async function* inTurns<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, void> {
  let until = performance.now() + TURN_MS;
  for await (const item of items) {
    yield item;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + TURN_MS;
  }
}
