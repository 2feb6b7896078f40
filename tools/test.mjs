// `npm test`: runs every test that this machine can run and says which it left out. What follows `--` is for Jest
// (`npm test -- rollback`). With CI=true nothing may be left out. The last line counts: `N passed, N failed`.
import { againstFleet, chromium, leftOut } from './test/groups.mjs';
import { runJest } from './test/run-jest.mjs';

const missing = leftOut();
const browser = chromium();
// One fleet is enough for two cores, and for the connections of one PostgreSQL.
const workers = process.env.STELE_TEST_FLEET === '1' ? '--runInBand' : '--maxWorkers=2';
const asked = process.argv.slice(2);
const result = await runJest(
  [workers, ...missing.map(({ files }) => `--testPathIgnorePatterns=${files}`), ...asked],
  browser ? { CHROMIUM: browser } : {},
);
const isWhole = asked.length === 0 && !process.env.STELE_TEST_FLEET && !missing.some(({ name }) => name === 'fleet');
if (isWhole) {
  console.log('Against a fleet of processes behind Caddy:');
  const again = await runJest(['--runInBand', ...againstFleet], { STELE_TEST_FLEET: '1' });
  result.passed += again.passed;
  result.failed += again.failed;
}

for (const { name, reason } of missing) console.log(`Left out: the ${name} tests, as ${reason}.`);
const mayLeaveOut = process.env.CI !== 'true';
if (missing.length > 0 && !mayLeaveOut) console.log('CI leaves nothing out: each of these groups counts as failed.');

const failed = result.failed + (mayLeaveOut ? 0 : missing.length);
if (result.passed + failed === 0) console.log('No test ran.');
console.log(`${result.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || result.passed === 0 ? 1 : 0;
