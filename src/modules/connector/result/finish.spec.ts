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

describe('The result of work', () => {
  it('a result is recorded if it comes from the agent that has the work', () => {
    given(work, queued, leased(1)).when(decideFinish, result(1)).records(succeeded(1));
    given(work, queued, leased(1)).when(decideFinish, result(1, 'failed')).records(failed(1));
  });

  it('a failure is recorded after every attempt was lost', () =>
    given(work, queued, leased(1), leased(2), leased(3))
      .when(decideFinish, result(3, 'gave_up'))
      .records(WorkFailed({ attempt: 3, tokenId: 'ctk_a', reason: 'attempts', error: payload })));

  it('repeating a result changes nothing', () => {
    given(work, queued, leased(1), succeeded(1)).when(decideFinish, result(1)).recordsNothing();
    given(work, queued, leased(1), failed(1)).when(decideFinish, result(1, 'failed')).recordsNothing();
  });

  it('a result is refused after a different result', () => {
    given(work, queued, leased(1), succeeded(1))
      .when(decideFinish, result(1, 'succeeded', other))
      .refuses('lease_lost');
    given(work, queued, leased(1), succeeded(1)).when(decideFinish, result(1, 'failed')).refuses('lease_lost');
    given(work, queued, leased(1), leased(2), succeeded(2)).when(decideFinish, result(1)).refuses('lease_lost');
  });

  it('a result is refused for a lost or missing attempt', () => {
    given(work, queued, leased(1), leased(2)).when(decideFinish, result(1)).refuses('lease_lost');
    given(work, queued, leased(1), WorkReturned({ attempt: 1 }))
      .when(decideFinish, result(1))
      .refuses('lease_lost');
    given(work, queued).when(decideFinish, result(1)).refuses('lease_lost');
    given(work).when(decideFinish, result(1)).refuses('lease_lost');
  });

  it('a result is refused for expired work', () =>
    given(work, queued, leased(1), WorkExpired({ reason: 'site_gone' }))
      .when(decideFinish, result(1))
      .refuses('lease_lost'));
});

describe('Work without a result', () => {
  it('work without a result expires, whether it is waiting or assigned to an agent', () => {
    given(work, queued)
      .when(decideExpire, { reason: 'time' })
      .records(WorkExpired({ reason: 'time' }));
    given(work, queued, leased(1))
      .when(decideExpire, { reason: 'site_gone' })
      .records(WorkExpired({ reason: 'site_gone' }));
  });

  it('work does not expire if it has ended or does not exist', () => {
    given(work, queued, leased(1), succeeded(1)).when(decideExpire, { reason: 'time' }).recordsNothing();
    given(work, queued, WorkExpired({ reason: 'time' }))
      .when(decideExpire, { reason: 'site_gone' })
      .recordsNothing();
    given(work).when(decideExpire, { reason: 'time' }).recordsNothing();
  });
});
