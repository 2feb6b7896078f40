import { writeFileSync } from 'node:fs';
import type { AggregatedResult } from '@jest/reporters';

/** A failed test or another failure. If `file` is missing, the run itself failed. */
export type Failure = [file: string | undefined, name: string];

/** The counts that the reporter writes. `seconds` is the wall-clock time of each file. */
export type Counted = {
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  failures: Failure[];
  seconds: [file: string, seconds: number][];
};

/**
 * A Jest reporter that writes the numbers of passed and failed tests, the failures and the seconds of each file to the
 * file named by STELE_TEST_COUNTS.
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
