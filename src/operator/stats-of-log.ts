import type { PositionedEvent, WholeLog } from '../storage/store/whole-log.js';

type Sum = { readonly events: number; readonly bytes: number };

export type LogStats = Sum & {
  readonly streams: number;
  /** Sorted by frequency, highest first. */
  readonly types: readonly (readonly [type: string, sum: Sum])[];
  readonly first: PositionedEvent | undefined;
  readonly last: PositionedEvent | undefined;
};

/** Counts the bytes of event data in UTF-8, without the engine's own overhead. */
export async function statsOf(log: WholeLog, signal: AbortSignal): Promise<LogStats> {
  const types = new Map<string, { events: number; bytes: number }>();
  const streams = new Set<string>();
  let [events, bytes] = [0, 0];
  let first: PositionedEvent | undefined;
  let last: PositionedEvent | undefined;
  for await (const list of log.after(0n, signal)) {
    first ??= list[0];
    last = list.at(-1);
    for (const { type, stream, data } of list) {
      const size = Buffer.byteLength(data);
      const sum = types.get(type) ?? { events: 0, bytes: 0 };
      types.set(type, { events: sum.events + 1, bytes: sum.bytes + size });
      streams.add(stream);
      events++;
      bytes += size;
    }
  }
  const byFrequency = [...types].sort(([, a], [, b]) => b.events - a.events);
  return { events, bytes, streams: streams.size, types: byFrequency, first, last };
}
