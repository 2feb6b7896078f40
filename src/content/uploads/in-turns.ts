import { setImmediate } from 'node:timers/promises';

/** Time in milliseconds after which other requests get a turn. */
const TURN_MS = 5;

/**
 * Yields items, giving other requests a turn every 5 ms. Awaiting items is not enough, because no other request runs
 * while an available item is awaited.
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
