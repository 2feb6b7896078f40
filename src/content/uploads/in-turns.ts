import { setImmediate } from 'node:timers/promises';

/** Time after which other requests get a turn. */
const TURN_MS = 5;

/**
 * Gives other requests a turn every 5 ms. Awaiting items would not be enough, because no other request can run while an
 * item that is already available is awaited.
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
