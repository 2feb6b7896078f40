import type { DomainEvent, Fold } from './decider.js';
import type { Head } from './event-store.js';

export type Folded<State> = { readonly state: State; readonly head: Head };

/**
 * Stores the states that were computed from long streams, to save time after a restart. Snapshots can be deleted at any
 * time.
 */
export abstract class Snapshots {
  /** Returns the newest snapshot that this version of the fold has stored for the stream, or null if there is none. */
  abstract load<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
  ): Promise<Folded<State> | null>;

  /**
   * Stores a snapshot, but never replaces a newer one. Snapshots are optional, so this may be called late or not at
   * all.
   */
  abstract save<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
    folded: Folded<State>,
  ): Promise<void>;
}
