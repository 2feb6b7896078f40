// Measures how long a build's output takes to reach a client that watches the log, compared with the same program read
// from a pipe. Needs Linux, bubblewrap and git.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { GitHost } from '../../test/support/sites/git-host.ts';
import { type Service, startService } from '../cost/service.ts';

/** Target for the delay of a line, in milliseconds (docs/interface/repositories.md, "Following a job"). */
const MOST_MS = 250;
const LINES = Number(process.env.STELE_BENCH_LINES ?? 800);
const EVERY_MS = 25;

const PROGRAM = `let n = 0;
const timer = setInterval(() => {
  console.log('at ' + Date.now());
  if (++n === ${LINES}) clearInterval(timer);
}, ${EVERY_MS});
require('node:fs').mkdirSync('dist', { recursive: true });
require('node:fs').writeFileSync('dist/index.html', 'built');
`;

/**
 * Returns how long each printed line took to arrive, in milliseconds. Each line contains the time at which it was
 * printed.
 */
const delaysIn = (text: string, now = Date.now()) =>
  [...text.matchAll(/\bat (\d{13})\b/g)].map(([, at]) => now - Number(at));

async function fromPipe(): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'stele-bench-lines-'));
  await writeFile(join(folder, 'print.cjs'), PROGRAM);
  const child = spawn(process.execPath, ['print.cjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const delays: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) delays.push(...delaysIn(line));
  await rm(folder, { recursive: true });
  return delays;
}

async function watched(host: GitHost, service: Service): Promise<number[]> {
  const scripts = { build: 'node print.cjs' };
  host.commit('lines', { 'package.json': JSON.stringify({ private: true, scripts }), 'print.cjs': PROGRAM });
  const body = Buffer.from(JSON.stringify({ url: host.url('lines') }));
  const headers = { 'content-type': 'application/json' };
  const answer = await service.send({ method: 'POST', path: '/v1/repo/deploy', headers, body });
  const { eventsUrl } = JSON.parse(answer.body.toString());
  const { body: events } = await fetch(eventsUrl, { headers: { accept: 'text/event-stream' } });
  if (events === null) throw new Error('The job has no events.');
  const delays: number[] = [];
  // An event can contain several log lines, but it arrives as a single line of text.
  for await (const line of createInterface({ input: Readable.fromWeb(events) })) {
    delays.push(...delaysIn(line));
    if (line.startsWith('event: job.failed')) throw new Error('The build failed.');
    if (line.startsWith('event: job.succeeded')) break;
  }
  return delays;
}

function print(name: string, delays: readonly number[]): number {
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  console.log(`${name.padEnd(10)} ${delays.length} lines  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  longest ${at(1)} ms`);
  return at(1);
}

const host = await GitHost.open();
const service = await startService({
  STELE_REPO_HOSTS: host.listed,
  STELE_BUILDER: 'bubblewrap',
  STELE_RATE_LIMITS: 'off',
});
try {
  print('a pipe', await fromPipe());
  const delays = await watched(host, service);
  if (delays.length !== LINES) throw new Error(`${delays.length} of ${LINES} lines came.`);
  if (print('watched', delays) > MOST_MS) process.exitCode = 1;
} finally {
  await service.stop();
  await host.close();
}
