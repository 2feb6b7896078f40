/**
 * Turns work on many into work for one caller, as a database commits in groups: calls that arrive while a run is
 * under way go together in the next. Nobody joins a run that has begun, so what was done before calling is covered.
 *
 * `run` answers what each caller gets; when it throws, all callers of that run do.
 */
export function gathered<Item, Result>(run: (items: readonly Item[]) => Promise<(item: Item) => Result>) {
  type Caller = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };
  let waiting: Caller[] = [];
  let running = false;

  const work = async () => {
    running = true;
    while (waiting.length > 0) {
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
      // One microtask later, so that calls made in the same breath go together.
      if (!running) queueMicrotask(() => running || void work());
    });
}
