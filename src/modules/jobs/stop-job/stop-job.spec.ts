import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { logged, queued, startedBy } from '../../../../test/support/events/job-examples.js';
import {
  JobFailed,
  JobLogged,
  JobStepped,
  JobStopped,
  JobStopRequested,
  JobSucceeded,
} from '../../../events/job.events.js';
import { rightEnded } from '../../../kernel/rights/job-right.js';
import { job } from '../job.state.js';
import { decideTake } from '../worker/take.decide.js';
import { decideStopEndedRight } from './stop-ended-right.decide.js';
import { decideStop } from './stop-job.decide.js';

describe('decideStop', () => {
  it('stops a queued job immediately', () =>
    given(job, queued)
      .when(decideStop, { jobId: 'job_1' })
      .records(JobStopRequested({ error: null }), JobStopped({ error: null })));

  it('requests that a running job stop', () =>
    given(job, queued, startedBy('a'))
      .when(decideStop, { jobId: 'job_1' })
      .records(JobStopRequested({ error: null })));

  it('changes nothing if the job is stopping or has stopped', () => {
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideStop, { jobId: 'job_1' })
      .recordsNothing();
    given(job, queued, JobStopRequested({ error: null }), JobStopped({ error: null }))
      .when(decideStop, { jobId: 'job_1' })
      .recordsNothing();
  });

  it('refuses a job that has succeeded or failed', () => {
    given(job, queued, startedBy('a'), JobSucceeded({ deployId: 'd', unchanged: false }))
      .when(decideStop, { jobId: 'job_1' })
      .refuses('job_finished');
    given(job, queued, startedBy('a'), JobFailed({ code: 'x', message: 'x' }))
      .when(decideStop, { jobId: 'job_1' })
      .refuses('job_finished');
  });

  it('refuses an unknown job', () => given(job).when(decideStop, { jobId: 'job_1' }).refuses('job_not_found'));
});

describe('Stopping a job that is no longer allowed to deploy', () => {
  const error = rightEnded('member_removed');
  const stopRequested = JobStopRequested({ error });
  const stop = { end: 'member_removed' as const };

  it('adds the reason for stopping to the job’s log if the job has no worker', () => {
    const lines = [{ n: 1, stream: 'stderr' as const, text: error.message }];
    given(job, queued)
      .when(decideStopEndedRight, stop)
      .records(stopRequested, JobLogged({ step: 'clone', lines }), JobStopped({ error }));
    given(job, queued, startedBy('a')).when(decideStopEndedRight, stop).records(stopRequested);
  });

  it('adds the reason for stopping to the end of the job’s log, in the current step', () => {
    const step = JobStepped({ step: 'build', status: 'running', commit: null, plan: null });
    const lines = [{ n: 3, stream: 'stderr' as const, text: error.message }];
    given(job, queued, startedBy('a'), logged(2), step, stopRequested)
      .when(decideTake, { worker: 'b' })
      .records(JobLogged({ step: 'build', lines }), JobStopped({ error }));
  });

  it('changes nothing if the job has ended, is stopping or never existed', () => {
    for (const end of [JobSucceeded({ deployId: 'd', unchanged: false }), JobStopRequested({ error: null })])
      given(job, queued, startedBy('a'), end).when(decideStopEndedRight, stop).recordsNothing();
    given(job).when(decideStopEndedRight, stop).recordsNothing();
  });
});
