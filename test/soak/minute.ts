import { type Figures, median, quantile } from './figures.js';

/** The figures of a minute. Latencies are in milliseconds, by kind of action. */
export type Minute = Figures & {
  readonly number: number;
  readonly acts: number;
  readonly faults: readonly string[];
  readonly latencies: ReadonlyMap<string, { readonly count: number; readonly p50: number; readonly p99: number }>;
};

export class MinuteUnderWay {
  readonly #latencies = new Map<string, number[]>();
  readonly #figures: Figures[] = [];
  readonly #faults: string[] = [];

  took(kind: string, ms: number) {
    const those = this.#latencies.get(kind);
    if (those) those.push(ms);
    else this.#latencies.set(kind, [ms]);
  }

  failed = (kind: string, reason: unknown) =>
    void this.#faults.push(`${kind}: ${reason instanceof Error ? reason.message : String(reason)}`);
  saw = (figures: Figures) => void this.#figures.push(figures);

  end(number: number): Minute {
    const of = (name: 'memory' | 'descriptors' | 'connections') => median(this.#figures.map((each) => each[name]));
    const last = this.#figures.at(-1);
    const latencies = [...this.#latencies].map(
      ([kind, all]) => [kind, { count: all.length, p50: median(all), p99: quantile(all, 0.99) }] as const,
    );
    return {
      number,
      acts: latencies.reduce((sum, [, { count }]) => sum + count, 0),
      faults: this.#faults,
      memory: of('memory'),
      descriptors: of('descriptors'),
      connections: of('connections'),
      tables: last?.tables ?? 0,
      largest: last?.largest ?? [],
      latencies: new Map(latencies),
    };
  }
}

export function lineOf({ number, memory, descriptors, connections, tables, acts, faults, latencies }: Minute): string {
  const of = (kind: string) => latencies.get(kind) ?? { p50: 0, p99: 0 };
  const times = ['visit', 'deploy', 'read'].map((kind) => `${of(kind).p50.toFixed(1)}/${of(kind).p99.toFixed(0)}`);
  const cells = [number, memory.toFixed(0), descriptors, connections, (tables / 1024).toFixed(1), acts, faults.length];
  return [...cells, ...times].map((cell) => String(cell).padStart(9)).join('');
}

export const HEADING = [
  ['minute', 'MiB', 'files', 'conns', 'tables', 'acts', 'faults', 'visit', 'deploy', 'read'],
  ['', 'own', 'open', 'of db', 'MiB', '', '', 'p50/p99', 'ms', 'ms'],
]
  .map((row) => row.map((cell) => cell.padStart(9)).join(''))
  .join('\n');
