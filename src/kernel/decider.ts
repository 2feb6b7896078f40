export type DomainEvent = { readonly type: string; readonly data: unknown };

/** Derives the state on which decisions are based from the events of a stream. */
export type Fold<State, Event extends DomainEvent> = {
  /** Identifies this state in snapshots. */
  readonly name: string;
  /** Increase this when the shape of the state or `evolve` changes. Snapshots of other versions are ignored. */
  readonly version: number;
  readonly initial: State;
  /** `revision` is the event’s revision in its stream. */
  readonly evolve: (state: State, event: Event, revision: number) => State;
};

/**
 * A business rule. The same state, command and revision always produce the same events: it uses no clock, IDs or I/O.
 * `revision` is that of the stream from which the state was derived, and is used for preconditions (`If-Match`).
 */
export type Decide<State, Command, Event extends DomainEvent> = (
  state: State,
  command: Command,
  revision: number,
) => readonly Event[];
