import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Number of event loop turns without a new call after which the waiting calls are processed. A caller needs a few turns
 * between two calls.
 */
const QUIET_TURNS = 2;

/** Maximum number of waiting calls. When it is reached, the calls are processed immediately. */
const ENOUGH = 64;

/**
 * Combines calls into batches, as a database groups commits. Calls that arrive during a run are processed together in
 * the next run, never in the current one, so each call covers everything that was done before it. If `run` throws, all
 * calls of that run are rejected. A run starts after two event loop turns without a call, because callers whose calls
 * resolve together make their next calls together.
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
