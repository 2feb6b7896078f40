import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { leased, queued, succeeded } from '../../../../test/support/events/work-examples.js';
import { work } from '../work.state.js';
import { decideQueue } from './queue.decide.js';

describe('Queueing work', () => {
  it('queueing an invocation creates work', () => given(work).when(decideQueue, queued.data).records(queued));

  it('queueing work again changes nothing, even if it has been assigned or has ended since', () => {
    given(work, queued).when(decideQueue, queued.data).recordsNothing();
    given(work, queued, leased(1)).when(decideQueue, queued.data).recordsNothing();
    given(work, queued, leased(1), succeeded(1)).when(decideQueue, queued.data).recordsNothing();
  });
});
