import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Number of event loop iterations without a new call after which a run starts. A request needs a few iterations between
 * one call and the next.
 */
const QUIET_TURNS = 2;

/** A run that has this many calls starts without waiting for more. */
const ENOUGH = 64;

/**
 * Batches calls, as a database groups commits. Calls that arrive during a run are processed together in the next one. A
 * run only starts after no call has arrived for two iterations of the event loop, because callers whose calls resolve
 * together make their next calls together. No call joins a run that has already started, so each call covers everything
 * that was done before it.
 *
 * `run` returns a function that maps an item to its result. If `run` throws, all calls of that run are rejected.
 */
export function coalesce<Item, Result>(run: (items: readonly Item[]) => Promise<(item: Item) => Result>) {
  type Caller = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };
  let waiting: Caller[] = [];
  let running = false;

  const work = async () => {
    running = true;
    while (waiting.length > 0) {
      await untilQuiet(() => waiting.length);
      const callers = waiting;
      waiting = [];
      try {
        const resultOf = await run(callers.map((caller) => caller.item));
        for (const { item, resolve } of callers) resolve(resultOf(item));
      } catch (reason) {
        for (const { reject } of callers) reject(reason);
      }
    }
    running = false;
  };

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void work();
    });
}

async function untilQuiet(count: () => number): Promise<void> {
  for (let quiet = 0, before = count(); quiet < QUIET_TURNS && before < ENOUGH; before = count()) {
    await nextTurn();
    quiet = count() > before ? 0 : quiet + 1;
  }
}
