import type { Server } from './contestants.ts';
import { type Load, load } from './load.ts';

export const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 7);
export const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 1);

export type Figures = { perSecond: number[]; cpu: number[] };
type Contestant = { key: string; server: Server; target: Load };

/** The contestants take turns within each round, each time in a rotated order. The first round only warms up. */
export async function rounds(contestants: readonly Contestant[]): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures>(contestants.map(({ key }) => [key, { perSecond: [], cpu: [] }]));
  for (let round = -1; round < ROUNDS; round++)
    for (let n = 0; n < contestants.length; n++) {
      const { key, server, target } = contestants[(n + Math.max(round, 0)) % contestants.length]!;
      const { perSecond, cpuMicros } = await load(server, target, SECONDS);
      if (round < 0) continue;
      figures.get(key)?.perSecond.push(perSecond);
      figures.get(key)?.cpu.push(cpuMicros);
    }
  return figures;
}
