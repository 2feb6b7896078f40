import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { JobFailed, JobQueuedAgain, JobStopped, JobStopRequested, JobSucceeded } from '../../../events/job.events.js';
import { job } from '../job.state.js';
import { decideTake } from './take.decide.js';

const lost = JobQueuedAgain({ reason: 'worker_lost' });
const back = JobQueuedAgain({ reason: 'handed_back' });

describe('decideTake', () => {
  it('a worker starts a queued job', () =>
    given(job, queued).when(decideTake, { worker: 'a' }).records(startedBy('a')));

  it('a worker starts a job that was handed back, as the next attempt', () =>
    given(job, queued, startedBy('a'), back).when(decideTake, { worker: 'b' }).records(startedBy('b', 2)));

  it('a worker takes over a job whose worker was lost, and records that', () =>
    given(job, queued, startedBy('a')).when(decideTake, { worker: 'b' }).records(lost, startedBy('b', 2)));

  it('a job fails after too many lost workers', () =>
    given(job, queued, startedBy('a'), lost, startedBy('b', 2), lost, startedBy('c', 3))
      .when(decideTake, { worker: 'd' })
      .records(
        JobFailed({ code: 'worker_lost', message: 'The worker that ran the job stopped unexpectedly three times.' }),
      ));

  it('a job can be handed back any number of times', () =>
    given(job, queued, startedBy('a'), back, startedBy('b', 2), back, startedBy('c', 3), back)
      .when(decideTake, { worker: 'd' })
      .records(startedBy('d', 4)));

  it('a job that was stopping when its worker was lost has stopped', () =>
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideTake, { worker: 'b' })
      .records(JobStopped({ error: null })));

  it('nothing is recorded for a job that has ended, is the worker’s own or never existed', () => {
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
