import type { Failure } from './counts.ts';
import type { RunResult } from './run-jest.ts';

/** If more files fail, chance is an unlikely cause, and a second run would take too long. */
const MOST_FILES = 3;

/** The combined result of a run and of a second run of the files that failed. */
export type RepeatedResult = RunResult & {
  /** Tests that failed in the first run and passed in the second. */
  readonly unstable: readonly Failure[];
};

/** Returns the files to run a second time, or none if too many failed or if Jest itself failed. */
export function filesToRepeat({ failures }: Pick<RunResult, 'failures'>): string[] {
  const files = [...new Set(failures.map(([file]) => file))];
  const known = files.filter((file) => file !== undefined);
  return known.length === files.length && files.length <= MOST_FILES ? known : [];
}

/**
 * Combines the two runs. The failures are forgiven only if no test failed in the second run, and if at least as many
 * tests passed in it as had failed in the first.
 */
export function withRepeated(first: RunResult, second: RunResult): RepeatedResult {
  const isForgiven = second.failed === 0 && second.passed >= first.failed;
  if (!isForgiven) return { ...first, unstable: [] };
  return { ...first, passed: first.passed + first.failed, failed: 0, failures: [], unstable: first.failures };
}
