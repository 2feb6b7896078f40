export type DomainEvent = { readonly type: string; readonly data: unknown };

/** How a stream's history becomes the state that decisions are made on. */
export type Fold<State, Event extends DomainEvent> = {
  /** Names this state in snapshots. */
  readonly name: string;
  /** Raise it when the state's shape or `evolve` changes: snapshots of another version are not used. */
  readonly version: number;
  readonly initial: State;
  /** `revision` is that of the event in its stream. */
  readonly evolve: (state: State, event: Event, revision: number) => State;
};

/**
 * A business rule. Same state, command and revision, same events: no clock, no id, no I/O.
 * `revision` is that of the stream the state was folded from, for preconditions (`If-Match`).
 */
export type Decide<State, Command, Event extends DomainEvent> = (
  state: State,
  command: Command,
  revision: number,
) => readonly Event[];
