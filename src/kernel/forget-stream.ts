import type { DomainEvent, Fold } from './decider.js';
import type { EventStore } from './event-store.js';
import type { Transactions } from './transactions.js';

/**
 * Deletes the events of a stream that ended long ago, and appends `tombstone` as its only event. The tombstone makes
 * read models remove their data about the stream. Returns false if the last event is not older than `before` (RFC
 * 3339). If a crash interrupts the deletion, the next call continues it and never appends a second tombstone.
 */
export async function forgetStream<State, Event extends DomainEvent>(
  store: EventStore,
  transactions: Transactions,
  { stream, fold, tombstone, before }: { stream: string; fold: Fold<State, Event>; tombstone: Event; before: string },
): Promise<boolean> {
  const { head } = await transactions.state(stream, fold);
  const [last] = head.revision === 0 ? [] : await store.page(stream, head.revision - 1, 1);
  if (!last || last.type === tombstone.type) return true;
  if (last.at >= before) return false;
  await store.truncate(stream, head.revision - 1);
  const by = { at: new Date().toISOString(), actor: { kind: 'system' } as const };
  await transactions.run(stream, fold, () => [tombstone], undefined, by);
  await store.truncate(stream, head.revision);
  return true;
}
