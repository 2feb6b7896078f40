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

describe('Stopping a job', () => {
  it('that waits ends it at once', () =>
    given(job, queued)
      .when(decideStop, {})
      .records(JobStopRequested({ error: null }), JobStopped({ error: null })));

  it('that runs asks its worker', () =>
    given(job, queued, startedBy('a'))
      .when(decideStop, {})
      .records(JobStopRequested({ error: null })));

  it('that stops or has stopped changes nothing', () => {
    given(job, queued, startedBy('a'), JobStopRequested({ error: null }))
      .when(decideStop, {})
      .recordsNothing();
    given(job, queued, JobStopRequested({ error: null }), JobStopped({ error: null }))
      .when(decideStop, {})
      .recordsNothing();
  });

  it('that has ended otherwise is refused', () => {
    given(job, queued, startedBy('a'), JobSucceeded({ deployId: 'd', unchanged: false }))
      .when(decideStop, {})
      .refuses('job_finished');
    given(job, queued, startedBy('a'), JobFailed({ code: 'x', message: 'x' }))
      .when(decideStop, {})
      .refuses('job_finished');
  });

  it('that never was is refused', () => given(job).when(decideStop, {}).refuses('job_not_found'));
});

describe('A job whose right has ended', () => {
  const error = rightEnded('member_removed');
  const stopRequested = JobStopRequested({ error });
  const stop = { end: 'member_removed' as const };

  it('is stopped, with the reason in its log where no worker has it', () => {
    const lines = [{ n: 1, stream: 'stderr' as const, text: error.message }];
    given(job, queued)
      .when(decideStopEndedRight, stop)
      .records(stopRequested, JobLogged({ step: 'clone', lines }), JobStopped({ error }));
    given(job, queued, startedBy('a')).when(decideStopEndedRight, stop).records(stopRequested);
  });

  it('has its reason said after what it logged, at the step that it came to', () => {
    const step = JobStepped({ step: 'build', status: 'running', commit: null, plan: null });
    const lines = [{ n: 3, stream: 'stderr' as const, text: error.message }];
    given(job, queued, startedBy('a'), logged(2), step, stopRequested)
      .when(decideTake, { worker: 'b' })
      .records(JobLogged({ step: 'build', lines }), JobStopped({ error }));
  });

  it('is left as it is when it has ended, is stopping already, or never was', () => {
    for (const end of [JobSucceeded({ deployId: 'd', unchanged: false }), JobStopRequested({ error: null })])
      given(job, queued, startedBy('a'), end).when(decideStopEndedRight, stop).recordsNothing();
    given(job).when(decideStopEndedRight, stop).recordsNothing();
  });
});
