import { load } from './load.mjs';

export const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
export const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 1);

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
export const ratioOf = (ours, peers) => median(ours.map((figure, round) => figure / peers[round]));

/** The contestants take turns within each round, and each round begins with another one; the first only warms up. */
export async function rounds(contestants) {
  const figures = new Map(contestants.map(({ key }) => [key, { perSecond: [], cpu: [] }]));
  for (let round = -1; round < ROUNDS; round++)
    for (let n = 0; n < contestants.length; n++) {
      const { key, server, target } = contestants[(n + Math.max(round, 0)) % contestants.length];
      const { perSecond, cpuMicros } = await load(server, target, SECONDS);
      if (round < 0) continue;
      figures.get(key).perSecond.push(perSecond);
      figures.get(key).cpu.push(cpuMicros);
    }
  return figures;
}
