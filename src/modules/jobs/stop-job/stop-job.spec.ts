import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { JobFailed, JobStopped, JobStopRequested, JobSucceeded } from '../../../events/job.events.js';
import { job } from '../job.state.js';
import { decideStop, decideStopWithSite } from './stop-job.decide.js';

describe('Stopping a job', () => {
  it('that waits ends it at once', () =>
    given(job, queued).when(decideStop, {}).records(JobStopRequested({}), JobStopped({})));

  it('that runs asks its worker', () =>
    given(job, queued, startedBy('a')).when(decideStop, {}).records(JobStopRequested({})));

  it('that stops or has stopped changes nothing', () => {
    given(job, queued, startedBy('a'), JobStopRequested({})).when(decideStop, {}).recordsNothing();
    given(job, queued, JobStopRequested({}), JobStopped({})).when(decideStop, {}).recordsNothing();
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

describe('A job whose site is gone', () => {
  it('stops, whether it waits or runs', () => {
    given(job, queued).when(decideStopWithSite, {}).records(JobStopRequested({}), JobStopped({}));
    given(job, queued, startedBy('a')).when(decideStopWithSite, {}).records(JobStopRequested({}));
  });

  it('is left as it is when it is over, or never was', () => {
    given(job, queued, startedBy('a'), JobSucceeded({ deployId: 'd', unchanged: false }))
      .when(decideStopWithSite, {})
      .recordsNothing();
    given(job, queued, startedBy('a'), JobStopRequested({})).when(decideStopWithSite, {}).recordsNothing();
    given(job).when(decideStopWithSite, {}).recordsNothing();
  });
});
