import './worker-wide.js';
import { appendFileSync } from 'node:fs';
import { TestEnvironment } from 'jest-environment-node';
import { cpuSeconds } from '../../../tools/test/cpu-time.ts';

/**
 * Appends the CPU seconds of each test file to the file at STELE_TEST_CPU, as one line of JSON: `[path, seconds]`.
 * Includes child processes that have exited, but not the shared PostgreSQL server.
 */
export default class MeasuredEnvironment extends TestEnvironment {
  #path;
  #before = null;

  constructor(config, context) {
    super(config, context);
    this.#path = context.testPath;
  }

  async setup() {
    this.#before = cpuSeconds();
    await super.setup();
  }

  async teardown() {
    await super.teardown();
    const file = process.env.STELE_TEST_CPU;
    const after = cpuSeconds();
    if (!file || this.#before === null || after === null) return;
    appendFileSync(file, `${JSON.stringify([this.#path, after - this.#before])}\n`);
  }
}
