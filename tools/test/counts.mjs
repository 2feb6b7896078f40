import { writeFileSync } from 'node:fs';

/**
 * A reporter of Jest’s that writes how many tests passed and failed, which failed (`[file, name]`), and how many seconds
 * each file took, to the file that STELE_TEST_COUNTS names.
 */
export default class Counts {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }) {
    const seconds = testResults.map(({ testFilePath, perfStats }) => [testFilePath, perfStats.runtime / 1000]);
    const failures = testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => [
      ...(testExecError ? [[testFilePath, 'does not run']] : []),
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => [testFilePath, fullName]),
    ]);
    const counts = { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, failures, seconds };
    writeFileSync(process.env.STELE_TEST_COUNTS, JSON.stringify(counts));
  }
}
