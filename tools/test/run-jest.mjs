import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, root } from '../set-up/places.mjs';

/**
 * Runs Jest on this Node with its own reporter in view. Answers how many tests passed and failed: a file that does
 * not run is a failed test, and so is whatever else makes Jest end badly.
 */
export async function runJest(args, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'stele-results-'));
  const counts = join(folder, 'counts.json');
  const reporters = ['--reporters=default', `--reporters=${inRoot('tools/test/counts.mjs')}`];
  try {
    const status = await jest([...reporters, ...args], { ...environment, STELE_TEST_COUNTS: counts });
    const counted = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : {};
    const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = counted;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const isUnexplained = status !== 0 && failed === 0 && numPassedTests > 0;
    return { passed: numPassedTests, failed: isUnexplained || !existsSync(counts) ? failed + 1 : failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function jest(args, environment) {
  // Jest hears Ctrl-C by itself and stops what it started; we wait for it.
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
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (status) => resolve(status ?? 1));
  });
}
