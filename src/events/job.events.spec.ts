import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../test/support/events/stored-event.contract.js';
import { rightEnded } from '../kernel/rights/job-right.js';
import { catalogue, isChained } from './catalogue.js';
import { jobEvents, jobStream, readJobId } from './job.events.js';

const plan = {
  kind: 'static',
  framework: null,
  packageManager: null,
  nodeVersion: null,
  installCommand: null,
  buildCommand: null,
  outputDirectory: 'public',
  rootDirectory: '.',
};
const stepped = { step: 'detect', status: 'succeeded', commit: null, plan };

describe('Job events', () => {
  storedEventContract(jobEvents, {
    JobQueued: [
      {
        kind: 'repo_deploy',
        siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n',
        slug: 'amber-otter-4821',
        deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p',
        source: { url: 'https://example.org/a/b', ref: 'main', rootDirectory: null, plan: { kind: 'static' } },
      },
      {
        kind: 'rerun',
        siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n',
        slug: 'amber-otter-4821',
        deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p',
        source: { url: 'https://example.org/a/b', ref: 'main', rootDirectory: null, plan: { kind: 'static' } },
        by: { kind: 'token', id: 'tok_01jd4v8k3mqg5t2x9w7z6y4r1p' },
        memberId: 'mem_01jd4v8k3mqg5t2x9w7z6y4r1p',
      },
      {
        kind: 'repo_deploy',
        siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n',
        slug: 'amber-otter-4821',
        deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p',
        source: { url: 'https://example.org/a/b', ref: 'main', rootDirectory: null, plan: { kind: 'static' } },
        by: { kind: 'publisher', id: 'pub_01jd4v8k3mqg5t2x9w7z6y4r1p' },
        memberId: 'mem_01jd4v8k3mqg5t2x9w7z6y4r1p',
        trust: 'link',
        linkId: 'lnk_01jd4v8k3mqg5t2x9w7z6y4r1p',
      },
    ],
    JobQueuedAgain: [{ reason: 'worker_lost' }],
    JobStarted: [{ worker: '0a1b2c3d4e5f-1', attempt: 1 }],
    JobStepped: [stepped],
    JobLogged: [{ step: 'clone', lines: [{ n: 1, stream: 'stdout', text: 'Copying' }] }],
    JobStopRequested: [{}, { error: rightEnded('member_removed') }],
    JobStopped: [{}, { error: rightEnded('member_removed') }],
    JobSucceeded: [
      { deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p' },
      { deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p', unchanged: true },
    ],
    JobFailed: [{ code: 'repo_unreachable', message: 'There is no public repository at this address.' }],
    JobForgotten: [{}],
  });

  it('can record a step before a plan is detected', () =>
    expect(catalogue.write('JobStepped', { ...stepped, plan: null, status: 'running' })).toBe(1));

  it('contain no credentials except those in the URL', () =>
    expect(() =>
      catalogue.write('JobQueued', {
        kind: 'rerun',
        siteId: 's',
        slug: 's',
        deployId: 'd',
        source: { url: 'https://example.org/a', ref: null, rootDirectory: null, plan: {}, token: 'x' },
        by: null,
        memberId: null,
        trust: 'none',
        linkId: null,
      }),
    ).toThrow(/token/));

  it('are stored under the job’s ID, without a hash chain', () => {
    expect(jobStream('job_1')).toBe('job-job_1');
    expect(readJobId(jobStream('job_1'))).toBe('job_1');
    expect(isChained(jobStream('job_1'))).toBe(false);
  });
});
