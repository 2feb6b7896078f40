// Deploys 1,000 files with the stele command and, in turns, with `tar cz | curl`: as a new site and, with the command,
// also unchanged. Also compares how long the command and Node take to start. Needs tar and curl. All contestants use
// one service.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, ratioOf, Targets } from '../figures.ts';
import { ANNOUNCED_PORT, inRoot, pinnedNode, startOptions } from '../product.ts';

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
const FILES = 1_000;
/** Total size of all files. Seven of ten files are text, as in the benchmark of deploys. */
const BYTES = 10 * 1024 * 1024;

/** Maximum time of a first deploy, and of one that changes nothing, in multiples of `tar cz | curl`. */
const MOST_FIRST = 1.5;
const MOST_UNCHANGED = 0.6;
/** Maximum time that `stele --version` may take longer than `node -e 0`, in milliseconds. */
const MOST_START_MS = 100;

const COMMAND = inRoot('clients/cli/dist/stele.cjs');
const folder = await mkdtemp(join(tmpdir(), 'stele-bench-cli-'));

/** Writes a site whose content occurs nowhere else, so that all of it has to be sent. */
async function writeSite(name: string): Promise<string> {
  const site = join(folder, name);
  for (let group = 0; group < 20; group++) await mkdir(join(site, `group-${group}`), { recursive: true });
  await writeFile(join(site, 'index.html'), `<!doctype html><title>${name}</title>`);
  const size = Math.floor(BYTES / FILES);
  for (let n = 1; n < FILES; n++) {
    const isText = n % 10 < 7;
    const content = isText ? makeText(size, `${name} ${n}`) : randomBytes(size);
    await writeFile(join(site, `group-${n % 20}`, `${n}.${isText ? 'html' : 'bin'}`), content);
  }
  return site;
}

const WORDS = 'stele publishes folders and keeps the full history of every site with one request'.split(' ');

function makeText(size: number, seed: string): string {
  let text = seed;
  while (text.length < size) text += ` ${WORDS[randomBytes(1)[0]! % WORDS.length]}`;
  return text.slice(0, size);
}

async function startService() {
  const env = {
    ...process.env,
    PORT: '0',
    STELE_DATA: join(folder, 'data'),
    STELE_RATE_LIMITS: 'off',
    STELE_ANONYMOUS_MAX_FILES: '2000',
  };
  const service = spawn(pinnedNode, [...startOptions, inRoot('dist/bundled/start.js')], { env, cwd: inRoot('.') });
  let said = '';
  const port = await new Promise<string>((resolve, reject) => {
    service.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = ANNOUNCED_PORT.exec(said)?.[1];
      if (found) resolve(found);
    });
    service.once('exit', () => reject(new Error(`The service did not start:\n${said}`)));
  });
  return { service, base: `http://localhost:${port}` };
}

/** Runs a command, and returns the time in milliseconds until it exits. */
async function timed(command: string, words: readonly string[], { cwd = folder, env = {} } = {}): Promise<number> {
  const begun = performance.now();
  const child = spawn(command, words, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  const ms = performance.now() - begun;
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} exited with ${code}:\n${said}`);
  return ms;
}

const { service, base } = await startService();
const env = {
  STELE_INSTANCE: base,
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  CI: '',
};
const stele = (cwd: string, ...words: string[]) => timed(pinnedNode, [COMMAND, ...words], { cwd, env });
/** The deploy that people write by hand. They have to keep the edit token too, so the response is stored in a file. */
const curl = (cwd: string) =>
  timed('sh', [
    '-c',
    `tar -czf - -C '${cwd}' . | curl -sSf '${base}/v1/deploy' -H 'content-type: application/gzip' --data-binary @- >'${cwd}.json'`,
  ]);

const times = { first: [] as number[], curl: [] as number[], unchanged: [] as number[] };
const starts = { version: [] as number[], node: [] as number[] };
try {
  // Warm up both contestants before they are measured.
  const warm = await writeSite('warm');
  await stele(warm, 'deploy');
  await curl(warm);
  for (let round = 0; round < ROUNDS; round++) {
    const [ours, theirs] = [await writeSite(`ours-${round}`), await writeSite(`theirs-${round}`)];
    const first = async () => times.first.push(await stele(ours, 'deploy'));
    const peer = async () => times.curl.push(await curl(theirs));
    for (const turn of round % 2 === 0 ? [first, peer] : [peer, first]) await turn();
    times.unchanged.push(await stele(ours, 'deploy'));
    for (let n = 0; n < 5; n++) {
      starts.version.push(await timed(pinnedNode, [COMMAND, '--version']));
      starts.node.push(await timed(pinnedNode, ['-e', '0']));
    }
    await Promise.all([rm(ours, { recursive: true }), rm(theirs, { recursive: true })]);
  }
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  await rm(folder, { recursive: true, force: true });
}

const targets = new Targets();
const line = (name: string, ms: readonly number[], rest = '') =>
  console.log(`${name.padEnd(24)} ${median(ms).toFixed(0).padStart(6)} ms${rest}`);
const compare = (name: string, ms: readonly number[], most: number) => {
  const ratio = ratioOf(ms, times.curl);
  line(name, ms, `  ${ratio.toFixed(2)} × tar | curl (at most ${most})${targets.verdict(ratio <= most)}`);
};
console.log(`${FILES} files, ${ROUNDS} rounds`);
line('tar cz | curl', times.curl);
compare('stele deploy, first', times.first, MOST_FIRST);
compare('stele deploy, unchanged', times.unchanged, MOST_UNCHANGED);
const more = median(starts.version.map((ms, n) => ms - (starts.node[n] ?? Number.NaN)));
line('node -e 0', starts.node);
const verdict = targets.verdict(more <= MOST_START_MS);
line('stele --version', starts.version, `  ${more.toFixed(0)} ms more (at most ${MOST_START_MS})${verdict}`);
process.exitCode = targets.areMet ? 0 : 1;
