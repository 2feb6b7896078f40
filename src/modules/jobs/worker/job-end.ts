import type { StopError } from '../../../kernel/rights/job-right.js';

/** Reason for ending a running job from outside, passed to its abort signal. */
export class JobEndedError extends Error {
  override readonly name = 'JobEndedError';

  constructor(
    readonly how: 'stopped' | 'handed_back' | 'lease_lost' | 'timed_out',
    /** Why the service stops the job, or null if a caller stops it. */
    readonly error: StopError | null = null,
  ) {
    super(`The job was interrupted: ${how}.`);
  }
}
