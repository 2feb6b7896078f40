import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { logged, queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { JobQueuedAgain, JobStopRequested, JobSucceeded } from '../../../events/job.events.js';
import { job } from '../job.state.js';
import { decideReport } from './report.decide.js';

const events = [logged(1)];

describe('decideReport', () => {
  it('records reports of the job’s worker, even while the job is stopping', () => {
    given(job, queued, startedBy('a')).when(decideReport, { worker: 'a', attempt: 1, events }).records(logged(1));
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideReport, { worker: 'a', attempt: 1, events })
      .records(logged(1));
  });

  it.each([
    ['another worker has taken over the job', [JobQueuedAgain({ reason: 'worker_lost' }), startedBy('b', 2)]],
    ['the job is queued again', [JobQueuedAgain({ reason: 'worker_lost' })]],
    ['the job has ended', [JobSucceeded({ deployId: 'dep_1', unchanged: false })]],
  ])('refuses a worker’s reports once %s', (_, since) =>
    given(job, queued, startedBy('a'), ...since)
      .when(decideReport, { worker: 'a', attempt: 1, events })
      .refuses('lease_lost'),
  );
});
