import { describe, expect, it } from '@jest/globals';
import { given } from '../../../test/support/events/given-when.js';
import { asked, queued, startedBy } from '../../../test/support/events/job-examples.js';
import { job } from './job.state.js';
import { decideQueue } from './queue.decide.js';
import { assertCanReadJob } from './show-job/assert-can-read-job.js';

describe('Queueing a job', () => {
  it('brings it into being', () => given(job).when(decideQueue, asked).records(queued));
  it('again changes nothing, however far it has come', () => {
    given(job, queued).when(decideQueue, asked).recordsNothing();
    given(job, queued, startedBy('a')).when(decideQueue, asked).recordsNothing();
  });
});

describe('Reading a job', () => {
  it.each([
    [{ isAnonymous: true, isPublic: true, isInvolved: false }],
    [{ isAnonymous: true, isPublic: false, isInvolved: true }],
    [{ isAnonymous: false, isPublic: true, isInvolved: true }],
    [{ isAnonymous: false, isPublic: false, isInvolved: true }],
  ])('is for whoever holds its id where the site is nobody’s and public, else for its people: %j', (site) =>
    expect(() => assertCanReadJob(site)).not.toThrow(),
  );

  it.each([
    [{ isAnonymous: false, isPublic: true, isInvolved: false }],
    [{ isAnonymous: true, isPublic: false, isInvolved: false }],
    [{ isAnonymous: false, isPublic: false, isInvolved: false }],
    [null],
  ])('to others there is none: %j', (site) =>
    expect(() => assertCanReadJob(site)).toThrow(expect.objectContaining({ code: 'job_not_found' })),
  );
});
