// Installs and builds a project with an empty npm cache, alternately in the product’s sandbox and on the bare machine.
// Then installs the project in the sandbox again, from the product's cache. Needs Linux, bubblewrap and a registry.
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { cpSync, createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../figures.ts';
import { product } from '../product.ts';
import { entriesOf, makeProject } from './project.ts';

const { Bubblewrap } = await product('sandbox/bubblewrap/bubblewrap.engine.js');
const { SandboxBuilder } = await product('sandbox/sandbox-builder.js');
const { buildHosts } = await product('sandbox/egress/hosts.js');

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
/** Maximum ratio of the sandbox’s time to the bare machine’s time, for install and build together. */
const MOST_OF_BARE = 1.15;
/** Maximum ratio of the time for an install from the cache to the time for an install without it. */
const MOST_OF_COLD = 0.5;

const GIB = 1_073_741_824;
const LIMITS = { memoryBytes: 2 * GIB, processes: 1_024, diskBytes: 4 * GIB, diskFiles: 400_000 };
const QUIET = { CI: 'true', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
const signal = AbortSignal.timeout(3_600_000);

const folder = await mkdtemp(join(tmpdir(), 'stele-bench-build-'));
const project = join(folder, 'project');
makeProject(project, await mkdtemp(join(folder, 'scratch-')));
const entries = entriesOf(project);

const builder = new SandboxBuilder([new Bubblewrap()], {
  folder: join(folder, 'builds'),
  hosts: buildHosts(['registry.npmjs.org'], []),
  lookup: async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address),
});
await builder.start(process.env, new AbortController().signal);
if (builder.missing !== null) throw new Error(builder.missing);

const KEPT = { jobId: 'job_bench', kind: 'packages', haveInstallScripts: false } as const;
type Sandbox = Awaited<ReturnType<typeof builder.open>>;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function inSandbox(sandbox: Sandbox, script: string): Promise<void> {
  const said: Uint8Array[] = [];
  const hear = async (_: unknown, bytes: Uint8Array) => void said.push(bytes);
  const { exitCode } = await sandbox.run({ script, folder: '.', tools: [], env: QUIET }, hear, signal);
  if (exitCode !== 0) throw new Error(`${script} in the sandbox: ${Buffer.concat(said)}`);
}

/**
 * Returns how long the steps in a sandbox take, in milliseconds. `all` is the time from creating the sandbox to
 * removing it. Unlike the product, this does not run install scripts after it has restored the cache.
 */
async function sandboxed(key: string) {
  const times = { all: 0, restored: 0, install: 0, keep: 0, build: 0 };
  times.all = await timed(async () => {
    const sandbox = await builder.open(LIMITS, () => undefined);
    try {
      await sandbox.write(entries, ({ path }) => createReadStream(join(project, path ?? '')));
      let isKept = false;
      times.restored = await timed(async () => {
        isKept = (await sandbox.restoreDependencies(key, signal)) !== null;
      });
      times.install = isKept ? times.restored : await timed(() => inSandbox(sandbox, 'npm ci'));
      times.keep = isKept ? 0 : await timed(() => sandbox.keepDependencies(key, KEPT, signal));
      times.build = await timed(() => inSandbox(sandbox, 'npm run build'));
    } finally {
      await sandbox.close();
    }
  });
  return times;
}

async function onMachine(cwd: string, cache: string, ...words: string[]): Promise<void> {
  const env = { ...process.env, ...QUIET, npm_config_cache: cache };
  const child = spawn('npm', words, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`npm ${words.join(' ')} on the host exited with ${code}`);
}

async function bare() {
  const place = await mkdtemp(join(folder, 'bare-'));
  const work = join(place, 'work');
  cpSync(project, work, { recursive: true });
  const times = { install: 0, build: 0 };
  times.install = await timed(() => onMachine(work, join(place, 'npm'), 'ci'));
  times.build = await timed(() => onMachine(work, join(place, 'npm'), 'run', 'build'));
  await rm(place, { recursive: true });
  return times;
}

type Round = { bare: Awaited<ReturnType<typeof bare>>; cold: Times; warm: Times };
type Times = Awaited<ReturnType<typeof sandboxed>>;
const rounds: Round[] = [];
try {
  for (let n = 0; n <= ROUNDS; n++) {
    const key = n.toString(16).padStart(64, '0');
    const cold = () => sandboxed(key);
    // Alternates whether the sandbox or the bare machine comes first. The first round is a warm-up, which is not
    // counted.
    const early = n % 2 === 0 ? await cold() : null;
    const onBare = await bare();
    const round = { bare: onBare, cold: early ?? (await cold()), warm: await sandboxed(key) };
    if (n > 0) rounds.push(round);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`.padStart(8);
const line = (name: string, of: (round: Round) => number) =>
  console.log(name.padEnd(34), seconds(median(rounds.map(of))));
line('bare: npm ci', ({ bare }) => bare.install);
line('bare: npm run build', ({ bare }) => bare.build);
line('sandbox: npm ci', ({ cold }) => cold.install);
line('sandbox: npm run build', ({ cold }) => cold.build);
line('sandbox: keeping', ({ cold }) => cold.keep);
line('sandbox: all of a cold build', ({ cold }) => cold.all);
line('sandbox: putting back', ({ warm }) => warm.install);
line('sandbox: all of a warm build', ({ warm }) => warm.all);

const ofBare = median(rounds.map(({ bare, cold }) => (cold.install + cold.build) / (bare.install + bare.build)));
const ofCold = median(rounds.map(({ cold, warm }) => warm.install / cold.install));
console.log(`install and build: ${ofBare.toFixed(2)} × the host without a sandbox (at most ${MOST_OF_BARE})`);
console.log(`warm install: ${ofCold.toFixed(2)} × cold (at most ${MOST_OF_COLD})`);
if (ofBare > MOST_OF_BARE || ofCold > MOST_OF_COLD) process.exitCode = 1;
