// `npm test`: runs every test that this machine can run, and lists those that it left out. Then repeats the tests that
// depend on the event store with EventStoreDB, the tests of HTTP itself with STELE_FAST_PATH=off, and some HTTP tests
// against several processes behind Caddy. Arguments after `--` are passed to Jest (`npm test -- rollback`). The
// selected tests then run once, as STELE_TEST_STORE, STELE_TEST_FLEET and STELE_FAST_PATH specify.
//
// With `--fast`, it runs the tests that fail most often, in less than two minutes: all unit tests, the database tests,
// and a file or two for each subject of HTTP (`fast` in passes.ts). With CI=true, it may leave out only tests with a
// command of their own (`npm test -- compose`). The last line has the counts: `N passed, N failed`.
//
// If one to three files fail in a whole run, they run again, one at a time (docs/testing.md). If all of them then pass,
// their tests count as passed, but the tests that had failed are listed.
import { relative } from 'node:path';
import { root } from './set-up/places.mjs';
import { cpuSeconds } from './test/cpu-time.ts';
import { memoryFolder } from './test/memory-folder.ts';
import { chromium, reasonUnmet } from './test/needs.ts';
import { againstFleet, fast, NEEDS_OF_FLEET, onPostgresAlone, overEventStore, withoutFastPath } from './test/passes.ts';
import { filesToRepeat, type RepeatedResult, withRepeated } from './test/repeat-failures.ts';
import { type RunResult, runJest } from './test/run-jest.ts';
import { ignoredPatterns, leftOut, selectedOf } from './test/test-files.ts';

const words = process.argv.slice(2);
const isFast = words.includes('--fast');
const asked = words.filter((word) => word !== '--fast');
const missing = leftOut(asked);
const skipped = selectedOf(missing, asked);
const browser = chromium();
const temporary = memoryFolder();

/** Results are printed before this time, because CI kills a run after ninety minutes without output. */
const deadline = process.env.CI === 'true' ? Date.now() + 70 * 60_000 : undefined;

const isFleet = process.env.STELE_TEST_FLEET === '1';
const isWhole = asked.length === 0 && !isFleet && !isFast;

type RunOptions = {
  store?: string | undefined;
  fleet?: boolean;
  fastPath?: 'off' | undefined;
  notHere?: typeof onPostgresAlone;
  oneByOne?: boolean;
};

/** Runs the selected files. If only a few of them fail in a whole run, runs those a second time. */
async function run(words: readonly string[], options: RunOptions = {}): Promise<RepeatedResult> {
  const first = await runOnce(words, options);
  const files = isWhole && !isInterrupted ? filesToRepeat(first) : [];
  if (files.length === 0) return { ...first, unstable: [] };
  console.log(`Running these test files again, one at a time: ${files.map(fromRoot).join(', ')}`);
  return withRepeated(first, await runOnce(['--runTestsByPath', ...files], { ...options, oneByOne: true }));
}

function runOnce(
  words: readonly string[],
  { store = '', fleet = isFleet, fastPath, notHere = [], oneByOne = fleet }: RunOptions,
): Promise<RunResult> {
  const ignored = [...ignoredPatterns(missing), ...notHere.map(({ file }) => `/${file.replaceAll('.', '\\.')}$`)];
  // Ignored patterns must come last, because Jest takes any words after them for further patterns. A fleet runs one
  // file at a time, which is enough for two cores and for the connections of one PostgreSQL. Otherwise three files
  // run concurrently, because most files wait for processes and disks half of the time (lab note 0132).
  const options = [
    oneByOne ? '--runInBand' : '--maxWorkers=3',
    ...words,
    ...(isFast ? fast.map((pattern) => `--testRegex=${pattern}`) : []),
    ...ignored.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
  ];
  const env = {
    STELE_TEST_STORE: store,
    STELE_TEST_FLEET: fleet ? '1' : '',
    ...(fastPath && { STELE_FAST_PATH: fastPath }),
  };
  const places = { ...(browser && { CHROMIUM: browser }), ...(temporary && { TMPDIR: temporary }) };
  return runJest(options, { ...env, ...places }, deadline);
}

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isInterrupted = true;
  });

/**
 * Runs the tests that a whole run repeats in other configurations. They do not run beside the other tests, which
 * already keep two cores busy.
 */
async function repeat(): Promise<RepeatedResult[]> {
  if (isInterrupted) return [];
  console.log('Running the tests that depend on the event store again, with events in EventStoreDB:');
  const repeated = await run(overEventStore, { store: 'esdb' });
  if (isInterrupted) return [repeated];
  console.log('Running the tests of HTTP itself again, without the fast path:');
  const plain = await run(withoutFastPath, { fastPath: 'off' });
  if (isInterrupted || reasonUnmet(NEEDS_OF_FLEET) !== null) return [repeated, plain];
  console.log('Running some HTTP tests against several processes behind Caddy:');
  return [repeated, plain, await run(againstFleet, { fleet: true })];
}

const notHere = process.env.STELE_TEST_STORE === 'esdb' ? onPostgresAlone : [];

const fromRoot = (file: string | undefined) => (file === undefined ? 'all' : relative(root, file));

const results = isWhole
  ? [await run(asked), ...(await repeat())]
  : [await run(asked, { store: process.env.STELE_TEST_STORE, notHere })];
const sumOf = (key: 'passed' | 'failed') => results.reduce((sum, each) => sum + each[key], 0);
const passed = sumOf('passed');

function listMost(title: string, secondsOfFiles: [file: string, seconds: number][]): void {
  if (secondsOfFiles.length === 0) return;
  console.log(title);
  const most = secondsOfFiles.sort(([, one], [, other]) => other - one).slice(0, isWhole ? 30 : 5);
  for (const [file, seconds] of most) console.log(`${seconds.toFixed(0).padStart(5)} ${fromRoot(file)}`);
}
if (isWhole)
  listMost(
    'Slowest test files, in seconds:',
    results.flatMap(({ seconds }) => seconds),
  );
listMost(
  'Test files that used the most CPU, in seconds:',
  results.flatMap(({ cpuOfFiles }) => cpuOfFiles),
);
const cpu = cpuSeconds();
if (cpu !== null) console.log(`CPU time: ${(cpu / 60).toFixed(1)} minutes`);
for (const { reason, paths } of skipped) {
  const files = paths.length === 1 ? 'one test file' : `${paths.length} test files`;
  console.log(`Skipped ${files}: ${reason}.`);
  for (const path of paths) console.log(`  ${path}`);
}
const noFleet = isWhole ? reasonUnmet(NEEDS_OF_FLEET) : null;
if (noFleet !== null) console.log(`Skipped the HTTP tests against several processes: ${noFleet}.`);
for (const [reason, files] of Map.groupBy(notHere, ({ reason }) => reason))
  console.log(`Skipped on EventStoreDB: ${files.map(({ file }) => file).join(', ')}: ${reason}.`);
const canLeaveOut = process.env.CI !== 'true';
if (isFast)
  console.log('--fast ran the unit tests, the database tests and some HTTP tests. Run `npm test` for everything.');
const notRun = canLeaveOut ? [] : skipped.filter(({ isByName }) => !isByName);
if (notRun.length > 0) console.log('CI must not skip tests, so each reason to skip some counts as a failed test.');

const failed = sumOf('failed') + notRun.length;
if (passed + failed === 0) console.log('No tests ran.');
const unstable = results.flatMap((result) => result.unstable);
if (unstable.length > 0) console.log('These tests passed only when their file was run again, so each needs a fix:');
for (const [file, name] of unstable) console.log(`  ${fromRoot(file)}: ${name}`);
// Prints failures again at the end, because they are hard to find among thousands of lines.
for (const [file, name] of results.flatMap(({ failures }) => failures))
  console.log(`Failed: ${fromRoot(file)}: ${name}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
