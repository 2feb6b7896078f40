import type { Recorded } from '../../../src/kernel/event-store.js';
import type { AnyReadModel } from '../../../src/projections/read-model.js';

/** The rows of a read model by key. */
export type Rows = Readonly<Record<string, object>>;

export function applyToRows(model: AnyReadModel, rows: Rows, event: Recorded): Rows {
  const changed = new Map<string, object | null>(Object.entries(rows));
  for (const key of model.touches(event)) changed.set(key, model.evolve(rows[key], event, key));
  const forgotten = model.forgets(event);
  const kept = [...changed].filter((entry): entry is [string, object] => entry[1] !== null);
  return Object.fromEntries(kept.filter(([, row]) => !('siteId' in row && row.siteId === forgotten)));
}
