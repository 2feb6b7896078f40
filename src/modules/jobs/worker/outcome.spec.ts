import { describe, expect, it } from '@jest/globals';
import { Masks } from '../../../kernel/output/masks.js';
import { Refusal } from '../../../kernel/refusal.js';
import { InterruptedCommandError } from '../build/build-failed.js';
import { JobEndedError } from './job-end.js';
import { outcomeOfEnd, outcomeOfError } from './outcome.js';

describe('outcomeOfEnd', () => {
  it('the error of a job that took too long names the running command and its blocked hosts, but no secret', () => {
    const context = { masks: new Masks(['hunter22']), mostMs: 60_000, lost: 0 };
    const thrown = new InterruptedCommandError('“npm ci” was still running. It used hunter22.');
    const ended = (error: unknown) => outcomeOfEnd(new JobEndedError('timed_out'), error, context);
    expect(ended(thrown)).toMatchObject([
      { data: { message: 'The job took longer than 1 minute. “npm ci” was still running. It used ••••.' } },
    ]);
    expect(ended(new Error('other'))).toMatchObject([{ data: { message: 'The job took longer than 1 minute.' } }]);
  });
});

describe('outcomeOfError', () => {
  it('the error message of a refused job includes the suggestion', () => {
    const more = { suggestion: 'Sign in to deploy up to 20,000 files.' };
    const refusal = new Refusal('too_many_files', 'This deploy has 1,001 files, but the limit is 1,000.', [], more);
    expect(outcomeOfError(refusal, { masks: new Masks([]), mostMs: 1, lost: 0 })).toMatchObject([
      {
        type: 'JobFailed',
        data: {
          code: 'too_many_files',
          message: 'This deploy has 1,001 files, but the limit is 1,000. Sign in to deploy up to 20,000 files.',
        },
      },
    ]);
  });
});
