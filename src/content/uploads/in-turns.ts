import { setImmediate } from 'node:timers/promises';

/** How long work goes on before others have their turn, in milliseconds. */
const TURN_MS = 5;

/**
 * The items of a list, which may be long, one after another; other requests have their turn every 5 ms. Items that are
 * waited for are no turn of others where they are there already.
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
