import type { DomainEvent, Fold } from './decider.js';
import type { Folded } from './snapshots.js';

/**
 * An LRU cache of stream states that were computed from events. Its capacity is measured in events, because states can
 * grow with their history.
 */
export class FoldedCache {
  readonly #kept = new Map<string, Folded<unknown>>();
  #weight = 0;

  constructor(private readonly capacity: number) {}

  get<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>): Folded<State> | undefined {
    const key = keyOf(stream, fold);
    const folded = this.#kept.get(key);
    if (!folded) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, folded);
    return folded as Folded<State>;
  }

  set<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>, folded: Folded<State>) {
    const key = keyOf(stream, fold);
    this.#forget(key);
    this.#kept.set(key, folded);
    this.#weight += weightOf(folded);
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.capacity) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string) {
    const folded = this.#kept.get(key);
    if (!folded) return;
    this.#kept.delete(key);
    this.#weight -= weightOf(folded);
  }
}

const keyOf = (stream: string, fold: { readonly name: string }) => `${fold.name} ${stream}`;
const weightOf = ({ head }: Folded<unknown>) => head.revision + 10;
