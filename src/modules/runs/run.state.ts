import { typesWith } from '../../events/event-type.js';
import { type RunEvent, runEvents } from '../../events/run.events.js';
import type { Fold } from '../../kernel/decider.js';

/** A run of the command line, as far as decisions need it. */
export type Run =
  | { readonly status: 'going' /** How many were recorded. */; readonly events: number }
  | { readonly status: 'over' };

export const runEnds = typesWith(runEvents, 'endsStream');

export const run: Fold<Run, RunEvent> = {
  name: 'run',
  version: 1,
  initial: { status: 'going', events: 0 },

  evolve(state, event) {
    if (state.status === 'over' || runEnds.has(event.type)) return { status: 'over' };
    return { status: 'going', events: state.events + 1 };
  },
};
