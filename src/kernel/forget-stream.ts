import type { DomainEvent, Fold } from './decider.js';
import type { EventStore } from './event-store.js';
import type { Transactions } from './transactions.js';

/**
 * Drops what a stream tells, long after its end, and leaves `told` in its place, by which read models forget it too.
 * After a crash in the middle the stream is still known to them, and forgetting it again goes on from there.
 */
export async function forgetStream<State, Event extends DomainEvent>(
  store: EventStore,
  transactions: Transactions,
  { stream, fold, told, at }: { stream: string; fold: Fold<State, Event>; told: Event; at: string },
): Promise<void> {
  const { head } = await transactions.state(stream, fold);
  await store.truncate(stream, head.revision - 1);
  await transactions.run(stream, fold, () => [told], undefined, { at, actor: { kind: 'system' } });
  await store.truncate(stream, head.revision);
}
