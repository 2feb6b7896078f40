import { plural } from '../output/quantities.js';

const failures = new Map<string, number>();

let log: (line: string) => void = () => undefined;

/**
 * Recurring work that no caller waits for, such as cleaning or polling. Failures are counted for metrics. In a series
 * of failures, only the first is logged with its reason. The success that ends the series is logged as well.
 *
 * Tasks with the same name share a count, but each task has its own series of failures.
 */
export class BackgroundTask {
  #failuresInARow = 0;

  /** `name` is a metrics label: snake_case, from a small fixed set, without IDs or addresses. */
  constructor(private readonly name: string) {
    failures.set(name, failures.get(name) ?? 0);
  }

  /** Counts a failure. Logs the failure if it is the first of a series. Can be passed to `catch` directly. */
  readonly failed = (error: unknown): void => {
    failures.set(this.name, (failures.get(this.name) ?? 0) + 1);
    this.#failuresInARow += 1;
    if (this.#failuresInARow === 1) log(`${this.name} failed (repeated failures are not logged): ${reasonOf(error)}`);
  };

  /** Ends the series of failures, if there is one. Can be passed to `then` directly. */
  readonly succeeded = (): void => {
    const row = this.#failuresInARow;
    this.#failuresInARow = 0;
    if (row > 0) log(`${this.name} works again after ${plural(row, 'failure')}.`);
  };

  /** Runs the work, and counts and logs its outcome. Never rejects. Resolves to whether the work succeeded. */
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

export type TaskReport = Pick<BackgroundTask, 'failed' | 'succeeded'>;

/** Returns the number of failures of each task in this process, including tasks without failures. */
export const backgroundFailures = (): ReadonlyMap<string, number> => failures;

/** Sets the function that logs series of failures. Until this is called, failures are only counted. */
export function logBackgroundTasks(write: (line: string) => void): void {
  log = write;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));
