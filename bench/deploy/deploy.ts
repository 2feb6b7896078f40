import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, ratioOf } from '../figures.ts';
import { compareArchives } from './archives.ts';
import { form } from './bodies.ts';
import { type Contestant, start } from './contestants.ts';

/** Targets for deploys to the whole product. Times are measured from the first byte of a request to its response. */
const FILES = 1_000;
const BYTES = 10 * 1024 * 1024;
const TIMES_MULTER = 10;
const TIMES_FLOOR = 2.5;
const TIMES_BUSBOY = 1.5;

const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 11);
/** Number of warm-up rounds. After them, the code of each contestant is compiled and its heap has reached its size. */
const WARMING = 10;
const AT_ONCE = 16;
const PER_ROUND = 320;

/** Returns the duration of one large deploy, in milliseconds. */
async function large(contestant: Contestant): Promise<number> {
  const body = form(FILES, BYTES);
  const began = performance.now();
  await contestant.send(body);
  return performance.now() - began;
}

/** Returns how many deploys of one small file succeed per second, with `AT_ONCE` concurrent senders. */
async function small(contestant: Contestant): Promise<number> {
  const bodies = Array.from({ length: PER_ROUND }, () => form(1, 2048));
  const began = performance.now();
  const sender = async () => {
    for (let body = bodies.pop(); body; body = bodies.pop()) await contestant.send(body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return (PER_ROUND / (performance.now() - began)) * 1000;
}

/** The contestants take turns within a round. The first rounds only warm up. */
async function rounds(
  measure: (contestant: Contestant) => Promise<number>,
  contestants: readonly Contestant[],
): Promise<Map<string, number[]>> {
  const figures = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -WARMING; round < ROUNDS; round++)
    for (const contestant of contestants) {
      const figure = await measure(contestant);
      if (round >= 0) figures.get(contestant.name)?.push(figure);
    }
  return figures;
}

const ratio = (figures: Map<string, number[]>, above: string, below: string) =>
  ratioOf(figures.get(above) ?? [], figures.get(below) ?? []);

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-deploy-'));
const running: Contestant[] = [];
try {
  for (const name of ['stele', 'multer', 'busboy', 'bare', 'floor']) running.push(await start(name, folder));
  const named = (...names: string[]) => running.filter(({ name }) => names.includes(name));

  const ms = await rounds(large, named('stele', 'multer', 'floor'));
  const perSecond = await rounds(small, named('stele', 'busboy', 'bare'));

  console.log(`${FILES} files, ${BYTES / 1024 / 1024} MiB, durable and live: median of ${ROUNDS} alternating rounds`);
  for (const [name, figures] of ms) console.log(`  ${name.padEnd(7)} ${median(figures).toFixed(1)} ms`);
  console.log(`One file of 2 KiB, ${AT_ONCE} at once`);
  for (const [name, figures] of perSecond) console.log(`  ${name.padEnd(7)} ${median(figures).toFixed(0)}/s`);

  // `bare` does the minimum of work for a deploy, so this ratio is an upper bound for the ratio of a product to busboy.
  console.log(`  bare is ${ratio(perSecond, 'bare', 'busboy').toFixed(2)} × busboy`);

  const promises: [promise: string, figure: number, isKept: (ratio: number) => boolean][] = [
    [
      `at least ${TIMES_MULTER} × as fast as multer with a file and an fsync each`,
      ratio(ms, 'multer', 'stele'),
      (r) => r >= TIMES_MULTER,
    ],
    [
      `at most ${TIMES_FLOOR} × the floor of receiving, hashing and one flush`,
      ratio(ms, 'stele', 'floor'),
      (r) => r <= TIMES_FLOOR,
    ],
    [
      `one file: at least ${TIMES_BUSBOY} × the rate of busboy with a file and an fsync`,
      ratio(perSecond, 'stele', 'busboy'),
      (r) => r >= TIMES_BUSBOY,
    ],
  ];
  for (const [promise, figure, isKept] of promises) {
    const kept = isKept(figure);
    if (!kept) process.exitCode = 1;
    console.log(`${kept ? 'kept  ' : 'MISSED'} ${figure.toFixed(2)} ×, target ${promise}`);
  }
  for (const contestant of running.splice(0)) await contestant.stop();
  await mkdir(join(folder, 'archives'));
  if (!(await compareArchives(join(folder, 'archives')))) process.exitCode = 1;
} finally {
  for (const contestant of running) await contestant.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
