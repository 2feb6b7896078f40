import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { failed, leased, queued, succeeded } from '../../../../test/support/events/work-examples.js';
import { WorkExpired, WorkForgotten, WorkReturned } from '../../../events/work.events.js';
import { work } from '../work.state.js';
import { decideLease, decideReturn } from './lease.decide.js';

describe('Giving work to an agent', () => {
  it('says who has it, and until when', () => given(work, queued).when(decideLease, leased(1).data).records(leased(1)));

  it('goes to the next one after an attempt that was lost or returned', () => {
    given(work, queued, leased(1)).when(decideLease, leased(2).data).records(leased(2));
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideLease, leased(2).data)
      .records(leased(2));
  });

  it('passes over an attempt that the log never heard of', () =>
    given(work, queued).when(decideLease, leased(2).data).records(leased(2)));

  it('says nothing twice', () => given(work, queued, leased(1)).when(decideLease, leased(1).data).recordsNothing());

  it('is refused to whoever came later to an attempt, or for an earlier one', () => {
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
  ])('is refused once it has %s', (_, end) =>
    given(work, queued, leased(1), end).when(decideLease, leased(2).data).refuses('lease_lost'),
  );

  it('is refused where there never was any', () => given(work).when(decideLease, leased(1).data).refuses('lease_lost'));
});

describe('Giving work back', () => {
  it('is said of the attempt that nobody got to see', () =>
    given(work, queued, leased(1))
      .when(decideReturn, { attempt: 1 })
      .records(WorkReturned({ attempt: 1 })));

  it('is nothing new of one that is over', () => {
    given(work, queued, leased(1), leased(2)).when(decideReturn, { attempt: 1 }).recordsNothing();
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideReturn, { attempt: 1 })
      .recordsNothing();
    given(work, queued, leased(1), succeeded(1)).when(decideReturn, { attempt: 1 }).recordsNothing();
  });
});
