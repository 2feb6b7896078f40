import { writeFileSync } from 'node:fs';
import type { AggregatedResult } from '@jest/reporters';

/** A failed test, or what else failed; without a file if it is the run itself. */
export type Failure = [file: string | undefined, name: string];

/** What the reporter writes; seconds are wall-clock time of a file. */
export type Counted = {
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  failures: Failure[];
  seconds: [file: string, seconds: number][];
};

/**
 * A reporter of Jest’s that writes how many tests passed and failed, which failed (`[file, name]`), and how many seconds
 * each file took, to the file that STELE_TEST_COUNTS names.
 */
export default class Counts {
  onRunComplete(
    _contexts: unknown,
    { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }: AggregatedResult,
  ): void {
    const seconds = testResults.map(({ testFilePath, perfStats }): [string, number] => [
      testFilePath,
      perfStats.runtime / 1000,
    ]);
    const failures = testResults.flatMap(({ testFilePath, testExecError, testResults: tests }): Failure[] => [
      ...(testExecError ? [[testFilePath, 'does not run'] satisfies Failure] : []),
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }): Failure => [testFilePath, fullName]),
    ]);
    const counts: Counted = { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, failures, seconds };
    writeFileSync(process.env.STELE_TEST_COUNTS ?? '', JSON.stringify(counts));
  }
}
