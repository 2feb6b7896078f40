import type { DomainEvent, Fold } from '../../../kernel/decider.js';
import { type Folded, Snapshots } from '../../../kernel/snapshots.js';

/** Stores snapshots in memory only, for the memory engine and for tests. */
export class MemorySnapshots extends Snapshots {
  readonly #kept = new Map<string, { readonly version: number; readonly revision: number; readonly folded: string }>();

  override async load<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>) {
    const kept = this.#kept.get(keyOf(stream, fold));
    return kept?.version === fold.version ? (JSON.parse(kept.folded) as Folded<State>) : null;
  }

  override async save<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
    folded: Folded<State>,
  ) {
    const key = keyOf(stream, fold);
    const { version } = fold;
    const { revision } = folded.head;
    const kept = this.#kept.get(key);
    if (kept && (kept.version > version || (kept.version === version && kept.revision > revision))) return;
    this.#kept.set(key, { version, revision, folded: JSON.stringify(folded) });
  }
}

const keyOf = (stream: string, fold: { readonly name: string }) => JSON.stringify([stream, fold.name]);
