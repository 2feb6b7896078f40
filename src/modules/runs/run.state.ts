import { selectTypes } from '../../events/event-type.js';
import { type RunEvent, runEvents } from '../../events/run.events.js';
import type { Fold } from '../../kernel/decider.js';

export type Run =
  | { readonly status: 'going' /** Number of events recorded so far. */; readonly events: number }
  | { readonly status: 'over' };

export const runEnds = selectTypes(runEvents, 'endsStream');

export const run: Fold<Run, RunEvent> = {
  name: 'run',
  version: 1,
  initial: { status: 'going', events: 0 },

  evolve(state, event) {
    if (state.status === 'over' || runEnds.has(event.type)) return { status: 'over' };
    return { status: 'going', events: state.events + 1 };
  },
};
