import { expect } from '@jest/globals';
import type { Decide, DomainEvent, Fold } from '../../../src/kernel/decider.js';
import type { Refusal, RefusalCode } from '../../../src/kernel/refusal.js';

/**
 * given(site, ...history).when(decide, command).records(...events)
 *
 * A test of a decision: applies the history with `fold`, calls `decide`, and compares the events. `decide` gets the
 * length of the history as the revision. Its arguments are frozen, because states are cached and shared: a `decide` or
 * `fold` that modified a state would change the past. No step is called `then`, because JavaScript treats an object
 * with a `then` as a promise.
 */
export const given = <State, Event extends DomainEvent>(fold: Fold<State, Event>, ...history: NoInfer<Event>[]) => ({
  when<Command>(decide: Decide<State, Command, Event>, command: Command) {
    const decided = () => decide(stateAfter(fold, history), frozen(command), history.length);

    return {
      records: (...events: NoInfer<Event>[]) => expect(decided()).toEqual(events),
      recordsNothing: () => expect(decided()).toEqual([]),
      refuses: (code: RefusalCode, more: Partial<Pick<Refusal, 'detail' | 'faults'>> = {}) =>
        expect(decided).toThrow(expect.objectContaining({ name: 'Refusal', code, ...more })),
    };
  },
});

/** Returns the state after these events, the first of which has revision 1. */
export const stateAfter = <State, Event extends DomainEvent>(
  fold: Fold<State, Event>,
  history: readonly Event[],
): State => history.reduce((state, event, n) => frozen(fold.evolve(state, frozen(event), n + 1)), frozen(fold.initial));

/** Returns one part of the state after these events, the first of which has revision 1. */
export const partAfter = <Part extends object, Event extends DomainEvent>(
  evolve: (part: Part, event: Event, revision: number) => Partial<Part> | null,
  initial: Part,
  ...history: readonly NoInfer<Event>[]
): Part => {
  let part = frozen(initial);
  for (const [n, event] of history.entries()) part = frozen({ ...part, ...evolve(part, frozen(event), n + 1) });
  return part;
};

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
