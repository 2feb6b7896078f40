import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { failed, leased, payload, queued, succeeded } from '../../../../test/support/events/work-examples.js';
import { WorkExpired, WorkFailed, WorkReturned } from '../../../events/work.events.js';
import { work } from '../work.state.js';
import { decideExpire, decideFinish, type Finish } from './finish.decide.js';

const result = (attempt: number, outcome: Finish['outcome'] = 'succeeded', said = payload): Finish => ({
  attempt,
  tokenId: 'ctk_a',
  outcome,
  result: said,
});
const other = { digest: 'b'.repeat(64), size: 3 };

describe('A result', () => {
  it('of the agent that has the work counts', () => {
    given(work, queued, leased(1)).when(decideFinish, result(1)).records(succeeded(1));
    given(work, queued, leased(1)).when(decideFinish, result(1, 'failed')).records(failed(1));
  });

  it('is said to be missing when every attempt was lost', () =>
    given(work, queued, leased(1), leased(2), leased(3))
      .when(decideFinish, result(3, 'gave_up'))
      .records(WorkFailed({ attempt: 3, tokenId: 'ctk_a', reason: 'attempts', error: payload })));

  it('changes nothing when it comes again', () => {
    given(work, queued, leased(1), succeeded(1)).when(decideFinish, result(1)).recordsNothing();
    given(work, queued, leased(1), failed(1)).when(decideFinish, result(1, 'failed')).recordsNothing();
  });

  it('is refused after another one', () => {
    given(work, queued, leased(1), succeeded(1))
      .when(decideFinish, result(1, 'succeeded', other))
      .refuses('lease_lost');
    given(work, queued, leased(1), succeeded(1)).when(decideFinish, result(1, 'failed')).refuses('lease_lost');
    given(work, queued, leased(1), leased(2), succeeded(2)).when(decideFinish, result(1)).refuses('lease_lost');
  });

  it('is refused of an attempt that was lost, or that is none', () => {
    given(work, queued, leased(1), leased(2)).when(decideFinish, result(1)).refuses('lease_lost');
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideFinish, result(1))
      .refuses('lease_lost');
    given(work, queued).when(decideFinish, result(1)).refuses('lease_lost');
    given(work).when(decideFinish, result(1)).refuses('lease_lost');
  });

  it('comes too late for work that has expired', () =>
    given(work, queued, leased(1), WorkExpired({ reason: 'site_gone' }))
      .when(decideFinish, result(1))
      .refuses('lease_lost'));
});

describe('Work that nobody answers', () => {
  it('expires, whether it waits or an agent has it', () => {
    given(work, queued)
      .when(decideExpire, { reason: 'time' })
      .records(WorkExpired({ reason: 'time' }));
    given(work, queued, leased(1))
      .when(decideExpire, { reason: 'site_gone' })
      .records(WorkExpired({ reason: 'site_gone' }));
  });

  it('stays as it is once it is over, or where there is none', () => {
    given(work, queued, leased(1), succeeded(1)).when(decideExpire, { reason: 'time' }).recordsNothing();
    given(work, queued, WorkExpired({ reason: 'time' }))
      .when(decideExpire, { reason: 'site_gone' })
      .recordsNothing();
    given(work).when(decideExpire, { reason: 'time' }).recordsNothing();
  });
});
