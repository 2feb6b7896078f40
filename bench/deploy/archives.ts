// Compares a deploy as a tar.gz with the same deploy as a form: `node archives.ts`, or at the end of the whole bench.
// The contestants take turns within each round, so that other load slows both equally.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSecondsOf, memoryOf } from '../connector/proc.ts';
import { median, ratioOf } from '../figures.ts';
import { archive, archiveHeaders, form, headers } from './bodies.ts';
import { type Contestant, start } from './contestants.ts';

/** Target: the maximum ratio of the figures of a deploy as an archive to those of the same deploy as a form. */
const TIMES_FORM = 1.3;

const FILES = 1_000;
const BYTES = 10 * 1024 * 1024;
const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 11);
const WARMING = 6;
const AT_ONCE = 4;
const PER_ROUND = 200;

type Name = 'form' | 'tar.gz';
type Kind = { make: (files: number, bytes: number) => Buffer; headers: Record<string, string> };
const kinds: Record<Name, Kind> = {
  form: { make: form, headers },
  'tar.gz': { make: archive, headers: archiveHeaders },
};
const names: Name[] = ['form', 'tar.gz'];
const ratio = (figures: Record<Name, number[]>) => ratioOf(figures['tar.gz'], figures.form);

/** Returns the CPU time that the service and its database use for one deploy of one small file, in milliseconds. */
async function small(service: Contestant, { make, headers }: Kind): Promise<number> {
  const bodies = Array.from({ length: PER_ROUND }, () => make(1, 2048));
  const began = cpuSecondsOf(service.pid);
  const sender = async () => {
    for (let body = bodies.pop(); body; body = bodies.pop()) await service.send(body, headers);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return ((cpuSecondsOf(service.pid) - began) / PER_ROUND) * 1_000;
}

type Large = { ms: number; cpu: number };

/** Deploys many files. Returns the time until the response and the CPU time of the service, both in milliseconds. */
async function large(service: Contestant, { make, headers }: Kind): Promise<Large> {
  const body = make(FILES, BYTES);
  const cpu = cpuSecondsOf(service.pid);
  const began = performance.now();
  await service.send(body, headers);
  return { ms: performance.now() - began, cpu: (cpuSecondsOf(service.pid) - cpu) * 1_000 };
}

async function byTurns<Figure>(
  service: Contestant,
  measure: (service: Contestant, kind: Kind) => Promise<Figure>,
): Promise<Record<Name, Figure[]>> {
  const figures: Record<Name, Figure[]> = { form: [], 'tar.gz': [] };
  for (let round = -WARMING; round < ROUNDS; round++) {
    // Alternates the order, because the kind that runs first in a round also pays for garbage collection of the
    // previous round.
    for (const name of round % 2 ? names.toReversed() : names) {
      const figure = await measure(service, kinds[name]);
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** Prints the figures, and returns whether the targets are met. */
export async function compareArchives(folder: string): Promise<boolean> {
  const service = await start('stele', folder);
  try {
    const one = await byTurns(service, small);
    const many = await byTurns(service, large);
    const of = (what: keyof Large) => ({
      form: many.form.map((figure) => figure[what]),
      'tar.gz': many['tar.gz'].map((figure) => figure[what]),
    });
    console.log(`The same as a form and as a tar.gz: medians of ${ROUNDS} alternating rounds`);
    for (const name of names)
      console.log(
        `  ${name.padEnd(7)} one file ${median(one[name]).toFixed(2)} ms of CPU; ${FILES} files ${median(of('ms')[name]).toFixed(0)} ms, ${median(of('cpu')[name]).toFixed(0)} ms of CPU`,
      );
    console.log(`  ${(memoryOf(service.pid) / 1024).toFixed(0)} MiB of memory afterwards`);
    const promises: [promise: string, figure: number][] = [
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
