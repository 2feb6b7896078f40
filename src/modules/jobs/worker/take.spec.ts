import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { JobFailed, JobQueuedAgain, JobStopped, JobStopRequested, JobSucceeded } from '../../../events/job.events.js';
import { job } from '../job.state.js';
import { decideTake } from './take.decide.js';

const lost = JobQueuedAgain({ reason: 'worker_lost' });
const back = JobQueuedAgain({ reason: 'handed_back' });

describe('decideTake', () => {
  it('starts a queued job', () => given(job, queued).when(decideTake, { worker: 'a' }).records(startedBy('a')));

  it('starts the next attempt of a job that was handed back', () =>
    given(job, queued, startedBy('a'), back).when(decideTake, { worker: 'b' }).records(startedBy('b', 2)));

  it('takes over a job whose worker was lost, and records the loss', () =>
    given(job, queued, startedBy('a')).when(decideTake, { worker: 'b' }).records(lost, startedBy('b', 2)));

  it('fails a job that has lost too many workers', () =>
    given(job, queued, startedBy('a'), lost, startedBy('b', 2), lost, startedBy('c', 3))
      .when(decideTake, { worker: 'd' })
      .records(
        JobFailed({ code: 'worker_lost', message: 'The worker that ran the job stopped unexpectedly three times.' }),
      ));

  it('lets a job be handed back any number of times', () =>
    given(job, queued, startedBy('a'), back, startedBy('b', 2), back, startedBy('c', 3), back)
      .when(decideTake, { worker: 'd' })
      .records(startedBy('d', 4)));

  it('ends a job as stopped if it was stopping when its worker was lost', () =>
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideTake, { worker: 'b' })
      .records(JobStopped({ error: null })));

  it('records nothing if the job has ended, never existed or already has this worker', () => {
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
