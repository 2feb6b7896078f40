import type { DomainEvent, Fold } from './decider.js';
import type { Head } from './event-store.js';

export type Folded<State> = { readonly state: State; readonly head: Head };

/** Keeps the folded state of long streams, so that a command after a restart does not read them whole. Disposable. */
export abstract class Snapshots {
  /** The newest snapshot made by this version of the fold, or null. */
  abstract load<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
  ): Promise<Folded<State> | null>;

  /** Never moves a snapshot backwards. May be called late or not at all: it is only ever a shortcut. */
  abstract save<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
    folded: Folded<State>,
  ): Promise<void>;
}
