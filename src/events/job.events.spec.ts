import { describe, expect, it } from '@jest/globals';
import { catalogue, isChained } from './catalogue.js';
import { JobQueued, JobStepped, jobStream, readJobId } from './job.events.js';

describe('Job events', () => {
  it('job events can record a step before a plan is detected', () =>
    expect(catalogue.write('JobStepped', { ...JobStepped.example, plan: null, status: 'running' })).toBe(1));

  it('job events contain no credentials except those in the repository URL', () =>
    expect(() =>
      catalogue.write('JobQueued', { ...JobQueued.example, source: { ...JobQueued.example.source, token: 'x' } }),
    ).toThrow(/token/));

  it('job events are stored under the job’s ID, without a hash chain', () => {
    expect(jobStream('job_1')).toBe('job-job_1');
    expect(readJobId(jobStream('job_1'))).toBe('job_1');
    expect(isChained(jobStream('job_1'))).toBe(false);
  });
});
