// What a deploy costs as a tar.gz, beside the same as a form: `node archives.mjs`, or the end of the whole bench. CPU is
// compared by turns within each round, so that a machine that is busy with other things slows both alike.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSecondsOf, memoryOf } from '../connector/proc.mjs';
import { archive, archiveHeaders, form, headers } from './bodies.mjs';
import { start } from './contestants.mjs';

/** The targets: an archive at most so many times the form. */
const TIMES_FORM = 1.3;

const FILES = 1_000;
const BYTES = 10 * 1024 * 1024;
const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 11);
const WARMING = 6;
const AT_ONCE = 4;
const PER_ROUND = 200;

const kinds = { form: [form, headers], 'tar.gz': [archive, archiveHeaders] };
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const ratio = (figures) => median(figures['tar.gz'].map((figure, round) => figure / figures.form[round]));

/** CPU of the service and its database for one deploy of one small file, in milliseconds. */
async function small(service, [make, kind]) {
  const bodies = Array.from({ length: PER_ROUND }, () => make(1, 2048));
  const began = cpuSecondsOf(service.pid);
  const sender = async () => {
    for (let body = bodies.pop(); body; body = bodies.pop()) await service.send(body, kind);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return ((cpuSecondsOf(service.pid) - began) / PER_ROUND) * 1_000;
}

/** Milliseconds until one large deploy is answered, and those of CPU. */
async function large(service, [make, kind]) {
  const body = make(FILES, BYTES);
  const cpu = cpuSecondsOf(service.pid);
  const began = performance.now();
  await service.send(body, kind);
  return { ms: performance.now() - began, cpu: (cpuSecondsOf(service.pid) - cpu) * 1_000 };
}

async function byTurns(service, measure) {
  const figures = { form: [], 'tar.gz': [] };
  for (let round = -WARMING; round < ROUNDS; round++) {
    // The first kind of a round pays for what the one before left behind.
    const turns = Object.keys(kinds);
    if (round % 2) turns.reverse();
    for (const name of turns) {
      const figure = await measure(service, kinds[name]);
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** Prints the figures, and says whether the promises are kept. */
export async function compareArchives(folder) {
  const service = await start('stele', folder);
  try {
    const one = await byTurns(service, small);
    const many = await byTurns(service, large);
    const of = (what) =>
      Object.fromEntries(Object.entries(many).map(([name, figures]) => [name, figures.map((figure) => figure[what])]));
    console.log(`The same as a form and as a tar.gz: medians of ${ROUNDS} alternating rounds`);
    for (const name of Object.keys(kinds))
      console.log(
        `  ${name.padEnd(7)} one file ${median(one[name]).toFixed(2)} ms of CPU; ${FILES} files ${median(of('ms')[name]).toFixed(0)} ms, ${median(of('cpu')[name]).toFixed(0)} ms of CPU`,
      );
    console.log(`  ${(memoryOf(service.pid) / 1024).toFixed(0)} MiB of memory afterwards`);
    const promises = [
      ['the CPU of a form, one file of 2 KiB', ratio(one)],
      [`the time of a form, ${FILES} files`, ratio(of('ms'))],
    ];
    let kept = true;
    for (const [promise, figure] of promises) {
      if (figure > TIMES_FORM) kept = false;
      console.log(
        `${figure > TIMES_FORM ? 'MISSED' : 'kept  '} ${figure.toFixed(2)} ×, target at most ${TIMES_FORM} × ${promise}`,
      );
    }
    console.log(`       ${ratio(of('cpu')).toFixed(2)} × the CPU of a form, ${FILES} files`);
    return kept;
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-archives-'));
  try {
    if (!(await compareArchives(folder))) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
