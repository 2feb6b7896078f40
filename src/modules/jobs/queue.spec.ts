import { describe, expect, it } from '@jest/globals';
import { given } from '../../../test/support/events/given-when.js';
import { asked, queued, startedBy } from '../../../test/support/events/job-examples.js';
import { job } from './job.state.js';
import { decideQueue } from './queue.decide.js';
import { assertCanReadJob } from './show-job/assert-can-read-job.js';

describe('decideQueue', () => {
  it('queueing creates the job', () => given(job).when(decideQueue, asked).records(queued));
  it('queueing the same job again changes nothing, whatever its state', () => {
    given(job, queued).when(decideQueue, asked).recordsNothing();
    given(job, queued, startedBy('a')).when(decideQueue, asked).recordsNothing();
  });
});

describe('assertCanReadJob', () => {
  it.each([
    [{ isAnonymous: true, isPublic: true, isInvolved: false }],
    [{ isAnonymous: true, isPublic: false, isInvolved: true }],
    [{ isAnonymous: false, isPublic: true, isInvolved: true }],
    [{ isAnonymous: false, isPublic: false, isInvolved: true }],
  ])(
    'a job of an anonymous public site is open to anyone with its ID, and any other job to people of its site: %j',
    (site) => expect(() => assertCanReadJob(site)).not.toThrow(),
  );

  it.each([
    [{ isAnonymous: false, isPublic: true, isInvolved: false }],
    [{ isAnonymous: true, isPublic: false, isInvolved: false }],
    [{ isAnonymous: false, isPublic: false, isInvolved: false }],
    [null],
  ])('a job does not exist for other callers: %j', (site) =>
    expect(() => assertCanReadJob(site)).toThrow(expect.objectContaining({ code: 'job_not_found' })),
  );
});
