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
  it('a queued job stops at once', () =>
    given(job, queued)
      .when(decideStop, {})
      .records(JobStopRequested({ error: null }), JobStopped({ error: null })));

  it('a running job is requested to stop', () =>
    given(job, queued, startedBy('a'))
      .when(decideStop, {})
      .records(JobStopRequested({ error: null })));

  it('a job that is stopping or stopped does not change', () => {
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideStop, {})
      .recordsNothing();
    given(job, queued, JobStopRequested({ error: null }), JobStopped({ error: null }))
      .when(decideStop, {})
      .recordsNothing();
  });

  it('a job that has ended otherwise cannot be stopped', () => {
    given(job, queued, startedBy('a'), JobSucceeded({ deployId: 'd', unchanged: false }))
      .when(decideStop, {})
      .refuses('job_finished');
    given(job, queued, startedBy('a'), JobFailed({ code: 'x', message: 'x' }))
      .when(decideStop, {})
      .refuses('job_finished');
  });

  it('an unknown job cannot be stopped', () => given(job).when(decideStop, {}).refuses('job_not_found'));
});

describe('Jobs whose right has ended', () => {
  const error = rightEnded('member_removed');
  const stopRequested = JobStopRequested({ error });
  const stop = { end: 'member_removed' as const };

  it('the job is stopped, and its log contains the reason if no worker has it', () => {
    const lines = [{ n: 1, stream: 'stderr' as const, text: error.message }];
    given(job, queued)
      .when(decideStopEndedRight, stop)
      .records(stopRequested, JobLogged({ step: 'clone', lines }), JobStopped({ error }));
    given(job, queued, startedBy('a')).when(decideStopEndedRight, stop).records(stopRequested);
  });

  it('the reason follows the other lines of the log, in the current step', () => {
    const step = JobStepped({ step: 'build', status: 'running', commit: null, plan: null });
    const lines = [{ n: 3, stream: 'stderr' as const, text: error.message }];
    given(job, queued, startedBy('a'), logged(2), step, stopRequested)
      .when(decideTake, { worker: 'b' })
      .records(JobLogged({ step: 'build', lines }), JobStopped({ error }));
  });

  it('a job that has ended, is stopping or never existed does not change', () => {
    for (const end of [JobSucceeded({ deployId: 'd', unchanged: false }), JobStopRequested({ error: null })])
      given(job, queued, startedBy('a'), end).when(decideStopEndedRight, stop).recordsNothing();
    given(job).when(decideStopEndedRight, stop).recordsNothing();
  });
});
