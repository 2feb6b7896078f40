import { median } from './figures.js';
import type { Minute } from './minute.js';

export type Verdict = {
  readonly what: string;
  readonly first: number;
  readonly second: number;
  readonly limit: number;
};

/** Maximum of each figure in the second half of a run, as a function of its value in the first half. */
const LIMITS = {
  memory: (first: number) => first * 1.1 + 16,
  descriptors: (first: number) => first * 1.05 + 8,
  connections: (first: number) => first + 3,
  growth: (first: number) => first * 1.25 + 2_048,
  latency: (first: number) => first * 2 + 100,
};

/**
 * Compares the two halves of a run. Skips the beginning (the first minute, or a tenth of a long run), when everything
 * is created. Compares memory, descriptors, connections and latencies by median, and tables by growth per minute.
 */
export function compare(minutes: readonly Minute[]): readonly Verdict[] {
  const warm = minutes.slice(Math.max(1, Math.floor(minutes.length / 10)));
  const middle = Math.floor(warm.length / 2);
  const [first, second] = [warm.slice(0, middle), warm.slice(middle)];
  const of = (what: string, value: (minute: Minute) => number, limit: (first: number) => number): Verdict => {
    const before = median(first.map(value));
    return { what, first: before, second: median(second.map(value)), limit: limit(before) };
  };
  const growths = new Map(minutes.map((minute, n) => [minute.number, minute.tables - (minutes[n - 1]?.tables ?? 0)]));
  const kinds = new Set(warm.flatMap(({ latencies }) => [...latencies.keys()]));
  return [
    of('memory, MiB', ({ memory }) => memory, LIMITS.memory),
    of('descriptors', ({ descriptors }) => descriptors, LIMITS.descriptors),
    of('connections', ({ connections }) => connections, LIMITS.connections),
    of('tables, KiB more a minute', ({ number }) => growths.get(number) ?? 0, LIMITS.growth),
    ...[...kinds].sort().map((kind) => {
      // Rare actions do not happen every minute.
      const value = ({ latencies }: Minute) => latencies.get(kind)?.p50 ?? 0;
      return of(`${kind}, ms`, value, LIMITS.latency);
    }),
  ];
}

export const isWithin = ({ second, limit }: Verdict) => second <= limit;
