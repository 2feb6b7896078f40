export type DomainEvent = { readonly type: string; readonly data: unknown };

/** Derives the state of a stream from its events. */
export type Fold<State, Event extends DomainEvent> = {
  /** Identifies this kind of state in snapshots. */
  readonly name: string;
  /** Increase this when the shape of the state or `evolve` changes. Snapshots of other versions are ignored. */
  readonly version: number;
  readonly initial: State;
  readonly evolve: (state: State, event: Event, revision: number) => State;
};

/**
 * A business rule. It is pure: no clock, no generated IDs, no I/O. `revision` is the stream revision that the state
 * reflects. It is used for preconditions (`If-Match`).
 */
export type Decide<State, Command, Event extends DomainEvent> = (
  state: State,
  command: Command,
  revision: number,
) => readonly Event[];
