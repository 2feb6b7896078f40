import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { failed, leased, queued, succeeded } from '../../../../test/support/events/work-examples.js';
import { WorkExpired, WorkForgotten, WorkReturned } from '../../../events/work.events.js';
import { work } from '../work.state.js';
import { decideLease, decideReturn } from './lease.decide.js';

describe('Assigning work to an agent', () => {
  it('records the agent and the deadline', () =>
    given(work, queued).when(decideLease, leased(1).data).records(leased(1)));

  it('is possible again after a lost or returned attempt', () => {
    given(work, queued, leased(1)).when(decideLease, leased(2).data).records(leased(2));
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideLease, leased(2).data)
      .records(leased(2));
  });

  it('can skip an attempt that is not in the log', () =>
    given(work, queued).when(decideLease, leased(2).data).records(leased(2)));

  it('records nothing when repeated', () =>
    given(work, queued, leased(1)).when(decideLease, leased(1).data).recordsNothing());

  it('is refused for another agent with the same attempt, and for an earlier attempt', () => {
    given(work, queued, leased(1, 'ctk_a')).when(decideLease, leased(1, 'ctk_b').data).refuses('lease_lost');
    given(work, queued, leased(2)).when(decideLease, leased(1).data).refuses('lease_lost');
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideLease, leased(1).data)
      .refuses('lease_lost');
  });

  it.each([
    ['succeeded', succeeded(1)],
    ['failed', failed(1)],
    ['expired', WorkExpired({ reason: 'time' })],
    ['been forgotten', WorkForgotten({})],
  ])('is refused for work that has %s', (_, end) =>
    given(work, queued, leased(1), end).when(decideLease, leased(2).data).refuses('lease_lost'),
  );

  it('is refused for work that does not exist', () =>
    given(work).when(decideLease, leased(1).data).refuses('lease_lost'));
});

describe('Returning work', () => {
  it('is recorded for an attempt that no agent received', () =>
    given(work, queued, leased(1))
      .when(decideReturn, { attempt: 1 })
      .records(WorkReturned({ attempt: 1 })));

  it('records nothing for an attempt that has ended', () => {
    given(work, queued, leased(1), leased(2)).when(decideReturn, { attempt: 1 }).recordsNothing();
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideReturn, { attempt: 1 })
      .recordsNothing();
    given(work, queued, leased(1), succeeded(1)).when(decideReturn, { attempt: 1 }).recordsNothing();
  });
});
