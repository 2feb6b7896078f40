import type { DomainEvent, Fold } from './decider.js';
import type { EventStore } from './event-store.js';
import type { Transactions } from './transactions.js';

/**
 * Drops what a stream tells, long after its end, and leaves `told` in its place, by which read models forget it too.
 * Answers whether nothing but that is left of it: not where it was written to since `before` (RFC 3339). After a crash
 * in the middle the stream is still known to read models, and forgetting it again goes on from there; what was
 * forgotten already is not told of again.
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
