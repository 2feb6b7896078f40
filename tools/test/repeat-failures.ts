import type { Failure } from './counts.ts';
import type { RunResult } from './run-jest.ts';

/** If more files fail than this, the reason is hardly chance, and a second run would take too long. */
const MOST_FILES = 3;

/** The result of a run and of a second run of the files that failed. */
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
 * Combines the two runs. A failure is forgiven only if its file passed completely the second time, and if that run
 * contained at least as many tests as had failed.
 */
export function withRepeated(first: RunResult, second: RunResult): RepeatedResult {
  const isForgiven = second.failed === 0 && second.passed >= first.failed;
  if (!isForgiven) return { ...first, unstable: [] };
  return { ...first, passed: first.passed + first.failed, failed: 0, failures: [], unstable: first.failures };
}
