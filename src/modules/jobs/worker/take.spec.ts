import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { JobFailed, JobQueuedAgain, JobStopped, JobStopRequested, JobSucceeded } from '../../../events/job.events.js';
import { job } from '../job.state.js';
import { decideTake } from './take.decide.js';

const lost = JobQueuedAgain({ reason: 'worker_lost' });
const back = JobQueuedAgain({ reason: 'handed_back' });

describe('A worker that holds the lease', () => {
  it('takes up a job that waits', () => given(job, queued).when(decideTake, { worker: 'a' }).records(startedBy('a')));

  it('takes up a job that was handed back, as the next attempt', () =>
    given(job, queued, startedBy('a'), back).when(decideTake, { worker: 'b' }).records(startedBy('b', 2)));

  it('takes over a job whose worker was lost, and says so', () =>
    given(job, queued, startedBy('a')).when(decideTake, { worker: 'b' }).records(lost, startedBy('b', 2)));

  it('gives up a job whose workers keep getting lost', () =>
    given(job, queued, startedBy('a'), lost, startedBy('b', 2), lost, startedBy('c', 3))
      .when(decideTake, { worker: 'd' })
      .records(
        JobFailed({ code: 'worker_lost', message: 'The worker that ran the job stopped unexpectedly three times.' }),
      ));

  it('may hand back a job as often as it likes', () =>
    given(job, queued, startedBy('a'), back, startedBy('b', 2), back, startedBy('c', 3), back)
      .when(decideTake, { worker: 'd' })
      .records(startedBy('d', 4)));

  it('ends a job that was to stop when its worker was lost', () =>
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideTake, { worker: 'b' })
      .records(JobStopped({ error: null })));

  it('has nothing to do for a job that has ended, that is its own, or that never was', () => {
    given(job, queued, startedBy('a'), JobSucceeded({ deployId: 'dep_1', unchanged: false }))
      .when(decideTake, { worker: 'b' })
      .recordsNothing();
    given(job, queued, JobStopRequested({ error: null }), JobStopped({ error: null }))
      .when(decideTake, { worker: 'b' })
      .recordsNothing();
    given(job, queued, startedBy('a')).when(decideTake, { worker: 'a' }).recordsNothing();
    given(job).when(decideTake, { worker: 'a' }).recordsNothing();
  });
});
