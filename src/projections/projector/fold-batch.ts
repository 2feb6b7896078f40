import type { Recorded } from '../../kernel/event-store.js';
import type { AnyReadModel } from '../read-model.js';

export type FoldFault = { readonly event: Recorded; readonly error: unknown };

type Rows = Map<string, object | null>;

/**
 * Loads the rows of a batch by key and applies the events in memory. An event that cannot be applied becomes a fault:
 * neither this event nor later events of its stream change any rows.
 */
export async function foldBatch(
  model: AnyReadModel,
  batch: readonly Recorded[],
  load: (keys: readonly string[]) => Promise<Map<string, object>>,
) {
  const faults = new Map<string, FoldFault>();
  const failed = (event: Recorded, error: unknown) => void faults.set(event.stream, { event, error });
  const touched: { readonly event: Recorded; readonly keys: readonly string[]; readonly forgets: string | null }[] = [];
  const forgotten = new Set<string>();
  for (const event of batch) {
    if (faults.has(event.stream)) continue;
    try {
      touched.push({ event, keys: model.touches(event), forgets: model.forgets(event) });
    } catch (error) {
      failed(event, error);
    }
  }
  const keys = [...new Set(touched.flatMap(({ keys }) => keys))];
  const rows: Rows = model.appendOnly || keys.length === 0 ? new Map() : await load(keys);

  for (const { event, keys, forgets } of touched) {
    const fault = faults.get(event.stream);
    if (fault && fault.event.position < event.position) continue;
    try {
      // Compute all rows first, so that the event changes either all of its rows or none.
      const after = keys.map((key) => [key, model.evolve(rows.get(key) ?? undefined, event, key)] as const);
      for (const [key, row] of after) rows.set(key, row);
      if (forgets === null) continue;
      forgotten.add(forgets);
      for (const [key, row] of rows) if (row && 'siteId' in row && row.siteId === forgets) rows.set(key, null);
    } catch (error) {
      failed(event, error);
    }
  }
  return {
    rows: [...rows.values()].filter((row) => row !== null),
    removed: [...rows].filter(([, row]) => row === null).map(([key]) => key),
    /** Sites whose existing rows must be deleted. Afterwards, each of these sites has only its rows in `rows`. */
    forgotten: [...forgotten],
    faults: [...faults.values()],
  };
}
