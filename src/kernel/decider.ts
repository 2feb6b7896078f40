export type DomainEvent = { readonly type: string; readonly data: unknown };

/** Computes the state for decisions from the events of a stream. */
export type Fold<State, Event extends DomainEvent> = {
  /** Identifies this state in snapshots. */
  readonly name: string;
  /** Increase it when the shape of the state or `evolve` changes: snapshots of other versions are ignored. */
  readonly version: number;
  readonly initial: State;
  /** `revision` is the event’s revision in its stream. */
  readonly evolve: (state: State, event: Event, revision: number) => State;
};

/**
 * A business rule. The same state, command and revision always give the same events: no clock, no IDs, no I/O.
 * `revision` is that of the stream from which the state was folded, for preconditions (`If-Match`).
 */
export type Decide<State, Command, Event extends DomainEvent> = (
  state: State,
  command: Command,
  revision: number,
) => readonly Event[];
