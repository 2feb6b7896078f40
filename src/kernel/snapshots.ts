import type { DomainEvent, Fold } from './decider.js';
import type { Head } from './event-store.js';

export type Folded<State> = { readonly state: State; readonly head: Head };

/** Stores the folded state of long streams, to save time after a restart. All snapshots can be deleted at any time. */
export abstract class Snapshots {
  /** Returns the newest snapshot of this fold version, or null. */
  abstract load<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
  ): Promise<Folded<State> | null>;

  /** Never replaces a newer snapshot. May be called late or not at all, because snapshots only save time. */
  abstract save<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
    folded: Folded<State>,
  ): Promise<void>;
}
