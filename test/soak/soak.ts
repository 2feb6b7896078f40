import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { spawnService } from '../support/service/spawned-service.js';
import { GitHost } from '../support/sites/git-host.js';
import { type Act, acts } from './acts.js';
import { figuresOf } from './figures.js';
import { HEADING, lineOf, type Minute, MinuteUnderWay } from './minute.js';
import { pictureOf } from './picture.js';
import { compare, isWithin } from './verdict.js';
import { watchByEvents, watchBySocket } from './watchers.js';
import { World } from './world.js';

const LOOKS_EVERY_MS = 5_000;
/**
 * Maximum number of concurrent actions of one kind. More than this means that the service cannot keep up, which is a
 * fault.
 */
const MOST_AT_ONCE = 60;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, picture: { type: 'string', default: 'coverage/soak.svg' } },
});
const minutes = Number(values.minutes);
if (!Number.isInteger(minutes) || minutes < 4) {
  console.error('npm run soak -- [--minutes N] [--picture FILE]\n\n  N is 4 or more, 60 if it is not given.');
  process.exit(64);
}

const folder = await mkdtemp(join(tmpdir(), 'stele-soak-'));
const git = await GitHost.open();
const program = [
  process.execPath,
  '--max-semi-space-size=16',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
  'dist/bundled/start.js',
] as const;
const service = await spawnService([...program], {
  env: {
    STELE_DATA: folder,
    STELE_REPO_HOSTS: git.listed,
    STELE_RATE_LIMITS: 'off',
    STELE_DNS_SERVERS: '127.0.0.1',
    ...(hasBubblewrap() || { STELE_BUILDER: 'none' }),
  },
});
const database = new pg.Client({ host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele' });
await database.connect();
const world = new World(service.port, git);
const told: Minute[] = [];
try {
  await world.begin();
  console.log(`${minutes} minutes, process ${service.pid}, data in ${folder}\n\n${HEADING}`);
  await run();
} finally {
  await database.end();
  await service.stop();
  await git.close();
  await rm(folder, { recursive: true, force: true });
}
await conclude();

function hasBubblewrap() {
  try {
    return execFileSync('bwrap', ['--version'], { stdio: 'ignore' }) === null && {};
  } catch {
    return false;
  }
}

async function run(): Promise<void> {
  const streams: Act[] = [
    { kind: 'watch', perSecond: 0.4, once: watchByEvents },
    { kind: 'socket', perSecond: 0.3, once: watchBySocket },
  ];
  let current = new MinuteUnderWay();
  const underWay = new Set<Promise<void>>();
  const timers = [...acts(hasBubblewrap() !== false), ...streams].map((act) => {
    let atOnce = 0;
    const begin = async () => {
      if (atOnce >= MOST_AT_ONCE) return current.failed(act.kind, 'is not kept up with');
      atOnce++;
      const began = performance.now();
      try {
        await act.once(world);
        if (!streams.includes(act)) current.took(act.kind, performance.now() - began);
      } catch (reason) {
        current.failed(act.kind, reason);
      } finally {
        atOnce--;
      }
    };
    return setInterval(() => {
      const done = begin().finally(() => underWay.delete(done));
      underWay.add(done);
    }, 1_000 / act.perSecond);
  });
  for (let number = 1; number <= minutes; number++) {
    for (const end = performance.now() + 60_000; performance.now() < end; ) {
      await pause(LOOKS_EVERY_MS);
      current.saw(await figuresOf(service.pid, database));
    }
    const minute = current.end(number);
    current = new MinuteUnderWay();
    told.push(minute);
    console.log(lineOf(minute));
    for (const fault of new Set(minute.faults)) console.log(`          ${fault}`);
  }
  for (const timer of timers) clearInterval(timer);
  await Promise.all(underWay);
}

async function conclude(): Promise<void> {
  console.log('\nThe largest tables, in KiB');
  for (const [name, kib] of told.at(-1)?.largest ?? []) console.log(`  ${name} ${kib}`);
  console.log(
    `\n${'second half beside the first'.padEnd(32)}${'first'.padStart(10)}${'second'.padStart(10)}${'limit'.padStart(10)}`,
  );
  const verdicts = compare(told);
  for (const verdict of verdicts) {
    const numbers = [verdict.first, verdict.second, verdict.limit].map((each) => each.toFixed(1).padStart(10)).join('');
    console.log(`${verdict.what.padEnd(32)}${numbers}${isWithin(verdict) ? '' : '   more than it may be'}`);
  }
  const faults = told.reduce((sum, minute) => sum + minute.faults.length, 0);
  const all = told.reduce((sum, { acts: done }) => sum + done, 0);
  await mkdir(join(values.picture, '..'), { recursive: true });
  await writeFile(values.picture, pictureOf(told));
  const isSame = verdicts.every(isWithin) && faults === 0;
  console.log(
    `\n${all} acts, ${faults} faults. ${isSame ? 'The second half is as the first.' : 'The second half is not as the first, or something failed.'} ${values.picture}`,
  );
  process.exitCode = isSame ? 0 : 1;
}
