import { writeFileSync } from 'node:fs';

/** A reporter of Jest’s that writes how many tests passed and failed to the file that STELE_TEST_COUNTS names. */
export default class Counts {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const counts = { numPassedTests, numFailedTests, numRuntimeErrorTestSuites };
    writeFileSync(process.env.STELE_TEST_COUNTS, JSON.stringify(counts));
  }
}
