import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { failed, leased, queued, succeeded } from '../../../../test/support/events/work-examples.js';
import { WorkExpired, WorkForgotten, WorkReturned } from '../../../events/work.events.js';
import { work } from '../work.state.js';
import { decideLease, decideReturn } from './lease.decide.js';

describe('Assigning work to an agent', () => {
  it('assigning work records the agent and the deadline', () =>
    given(work, queued).when(decideLease, leased(1).data).records(leased(1)));

  it('work can be assigned again after an attempt was lost or returned', () => {
    given(work, queued, leased(1)).when(decideLease, leased(2).data).records(leased(2));
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideLease, leased(2).data)
      .records(leased(2));
  });

  it('work can be assigned even if an earlier attempt is missing from the log', () =>
    given(work, queued).when(decideLease, leased(2).data).records(leased(2)));

  it('repeating an assignment records nothing', () =>
    given(work, queued, leased(1)).when(decideLease, leased(1).data).recordsNothing());

  it('an attempt can’t be assigned to a second agent, and can’t be assigned after a later attempt', () => {
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
  ])('work that has %s can’t be assigned', (_, end) =>
    given(work, queued, leased(1), end).when(decideLease, leased(2).data).refuses('lease_lost'),
  );

  it('work that does not exist can’t be assigned', () =>
    given(work).when(decideLease, leased(1).data).refuses('lease_lost'));
});

describe('Returning work', () => {
  it('an attempt that no agent received can be returned', () =>
    given(work, queued, leased(1))
      .when(decideReturn, { attempt: 1 })
      .records(WorkReturned({ attempt: 1 })));

  it('returning an attempt that has ended records nothing', () => {
    given(work, queued, leased(1), leased(2)).when(decideReturn, { attempt: 1 }).recordsNothing();
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideReturn, { attempt: 1 })
      .recordsNothing();
    given(work, queued, leased(1), succeeded(1)).when(decideReturn, { attempt: 1 }).recordsNothing();
  });
});
