import { hash } from 'node:crypto';
import type { DomainEvent, Fold } from '../../../src/kernel/decider.js';
import { canonical } from '../../../src/kernel/hashing/canonical.js';

export const fingerprint = (value: unknown) => hash('sha256', canonicalJson(value)).slice(0, 12);

/**
 * Returns all state changes that these events cause in streams of up to three events. The result does not contain
 * event names, so that a new event type that changes nothing does not require a new version.
 */
export function listChanges<State, Event extends DomainEvent>(
  { initial, evolve }: Pick<Fold<State, Event>, 'initial' | 'evolve'>,
  events: readonly Event[],
): readonly string[] {
  const known = new Set([fingerprint(initial)]);
  const changes = new Set<string>();
  let newest = [initial];
  for (const revision of [1, 2, 3]) {
    const next: State[] = [];
    for (const state of newest) {
      const before = fingerprint(state);
      for (const event of events) {
        const changed = evolve(state, event, revision);
        const after = fingerprint(changed);
        changes.add(`${before} ${after}`);
        if (!known.has(after)) next.push(changed);
        known.add(after);
      }
    }
    newest = next;
  }
  return [...changes].sort();
}

/** Formats a value as canonical JSON, with dates as timestamps. */
const canonicalJson = (value: unknown) => canonical(JSON.parse(JSON.stringify(value)));
