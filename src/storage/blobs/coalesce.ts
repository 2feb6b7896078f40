import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop without a new call: a request takes a few from one call to the next. */
const QUIET_TURNS = 2;

/** A run of this many calls does not wait for more. */
const ENOUGH = 64;

/**
 * Turns work on many into work for one caller, as a database commits in groups: calls that arrive while a run is under
 * way go together in the next, and a run begins only once no call has come for two turns of the event loop: callers
 * that are answered together make their next calls together. No call joins a run that has begun, so what was done
 * before calling is covered.
 *
 * `run` answers what each caller gets; when it throws, all callers of that run do.
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
