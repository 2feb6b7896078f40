import { plural } from '../output/quantities.js'; /** How often each task has failed in this process since it started. */

const failures = new Map<string, number>();

let log: (line: string) => void = () => undefined;

/**
 * Work that no caller waits for and that is done again and again: cleaning, polling, sending, reconnecting. No answer
 * carries its faults, so each is counted here for metrics. The log has two lines for a row of failures: one for the
 * first, with its reason, and one when the work succeeds again.
 *
 * Counts are kept for the process as a whole, so that a task can be made wherever its work is. Two tasks with one name
 * share their count; each has a row of its own.
 */
export class BackgroundTask {
  #failuresInARow = 0;

  /** `name` is a label in metrics and stands in the log: snake_case, from a small fixed set, without ids or addresses. */
  constructor(private readonly name: string) {
    failures.set(name, failures.get(name) ?? 0);
  }

  /** Counts a failure; only the first of a row is logged. It can be handed to `catch` as it is. */
  readonly failed = (error: unknown): void => {
    failures.set(this.name, (failures.get(this.name) ?? 0) + 1);
    this.#failuresInARow += 1;
    if (this.#failuresInARow === 1) log(`${this.name} failed (repeated failures are not logged): ${reasonOf(error)}`);
  };

  /** Ends a row of failures; without one it does nothing. It can be handed to `then` as it is. */
  readonly succeeded = (): void => {
    const row = this.#failuresInARow;
    this.#failuresInARow = 0;
    if (row > 0) log(`${this.name} works again after ${plural(row, 'failure')}.`);
  };

  /** Does the work and reports how it ended. Never rejects; resolves to whether it succeeded. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.failed(error);
      return false;
    }
    this.succeeded();
    return true;
  }
}

/** Where the ends of a task are reported. */
export type TaskReport = Pick<BackgroundTask, 'failed' | 'succeeded'>;

/** Each task made so far, and how often it has failed in this process; a task that never did has 0. */
export const backgroundFailures = (): ReadonlyMap<string, number> => failures;

/** From now on the first failure of a row and its end are written to `write`, a line each. Until then they are only counted. */
export function logBackgroundTasks(write: (line: string) => void): void {
  log = write;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));
