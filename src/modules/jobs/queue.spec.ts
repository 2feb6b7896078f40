import { describe, expect, it } from '@jest/globals';
import { given } from '../../../test/support/events/given-when.js';
import { asked, queued, startedBy } from '../../../test/support/events/job-examples.js';
import { job } from './job.state.js';
import { decideQueue } from './queue.decide.js';
import { assertCanReadJob } from './show-job/assert-can-read-job.js';

describe('decideQueue', () => {
  it('creates the job', () => given(job).when(decideQueue, asked).records(queued));
  it('changes nothing if the job already exists, whatever its status', () => {
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
    'anyone with the job’s ID can read it on an anonymous public site, otherwise only people with access: %j',
    (site) => expect(() => assertCanReadJob('job_1', site)).not.toThrow(),
  );

  it.each([
    [{ isAnonymous: false, isPublic: true, isInvolved: false }],
    [{ isAnonymous: true, isPublic: false, isInvolved: false }],
    [{ isAnonymous: false, isPublic: false, isInvolved: false }],
    [null],
  ])('other callers are refused as if the job did not exist: %j', (site) =>
    expect(() => assertCanReadJob('job_1', site)).toThrow(expect.objectContaining({ code: 'job_not_found' })),
  );
});
