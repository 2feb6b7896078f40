import { describe, expect, it } from '@jest/globals';
import { Masks } from '../../../kernel/output/masks.js';
import { Refusal } from '../../../kernel/refusal.js';
import { outcomeOfError } from './outcome.js';

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
