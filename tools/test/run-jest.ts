import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, root } from '../set-up/places.mjs';
import type { Counted } from './counts.ts';

/** Time that Jest may take to exit after the results. An open handle of a test can keep it running. */
const SECONDS_TO_END = 60;

export type RunResult = Pick<Counted, 'failures' | 'seconds'> & {
  readonly passed: number;
  readonly failed: number;
  readonly cpuOfFiles: [file: string, seconds: number][];
};

/**
 * Runs Jest on this Node with its own reporter, until `deadline` (milliseconds since 1970) at the latest. Returns the
 * counts, the failures, and the seconds and CPU seconds (Linux) of each file. A file that does not run counts as a
 * failed test, and so does any other failure of Jest to run or exit.
 */
export async function runJest(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  deadline = Number.POSITIVE_INFINITY,
): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'stele-results-'));
  const counts = join(folder, 'counts.json');
  const cpu = join(folder, 'cpu.jsonl');
  const reporters = ['--reporters=default', `--reporters=${inRoot('tools/test/counts.ts')}`];
  try {
    const given = { ...environment, STELE_TEST_COUNTS: counts, STELE_TEST_CPU: cpu };
    const status = await jest([...reporters, ...args], given, () => {
      if (Date.now() > deadline) return 'The time limit for all tests has passed. Stopping this run.';
      if (!existsSync(counts) || Date.now() - statSync(counts).mtimeMs < SECONDS_TO_END * 1000) return null;
      return 'Jest has finished but does not exit, because a test left something open. Stopping it.';
    });
    const counted: Partial<Counted> = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : {};
    const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = counted;
    const { failures = [], seconds = [] } = counted;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const isUnexplained = !existsSync(counts) || (status !== 0 && failed === 0 && numPassedTests > 0);
    if (isUnexplained) failures.push([undefined, `Jest exited with ${status}`]);
    const cpuOfFiles = linesOf(cpu).map((line) => JSON.parse(line));
    return { passed: numPassedTests, failed: isUnexplained ? failed + 1 : failed, failures, seconds, cpuOfFiles };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);

/** Returns Jest's exit code, or 1 if it was stopped for the reason that `overdue` returned. */
function jest(args: readonly string[], environment: NodeJS.ProcessEnv, overdue: () => string | null): Promise<number> {
  // Jest receives Ctrl-C itself and stops its children. This process waits for it.
  process.on('SIGINT', () => {});
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings=ExperimentalWarning',
      inRoot('node_modules/jest/bin/jest.js'),
      ...args,
    ],
    { cwd: root, stdio: ['inherit', 'inherit', 'inherit'], env: { ...process.env, ...environment } },
  );
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  let asked = 0;
  const watch = setInterval(() => {
    const reason = overdue();
    if (reason === null) return;
    if (asked === 0) console.log(reason);
    // Jest stops its servers if it can. If it does not react, kill it.
    asked += 1;
    child.kill(asked < 5 ? 'SIGTERM' : 'SIGKILL');
  }, 5_000);
  return new Promise((resolve) => {
    const ended = (status: number) => {
      clearInterval(watch);
      resolve(asked === 0 ? status : 1);
    };
    child.once('error', () => ended(1));
    child.once('close', (status) => ended(status ?? 1));
  });
}
