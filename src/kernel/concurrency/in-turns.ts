/** Time in milliseconds after which other requests get a turn. */
const TURN_MS = 5;

/**
 * Yields items, and lets other requests run every 5 ms. Merely awaiting the items is not enough, because awaiting an
 * item that is already available does not let other requests run.
 */
export async function* inTurns<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, void> {
  let until = performance.now() + TURN_MS;
  for await (const item of items) {
    yield item;
    if (performance.now() < until) continue;
    await new Promise(setImmediate);
    until = performance.now() + TURN_MS;
  }
}
