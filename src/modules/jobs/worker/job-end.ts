import type { StopError } from '../../../kernel/rights/job-right.js';

/** Reason for ending a running job from outside. Used as the reason of its abort signal. */
export class JobEndedError extends Error {
  override readonly name = 'JobEndedError';

  constructor(
    readonly how: 'stopped' | 'handed_back' | 'lease_lost' | 'timed_out',
    /** Why the service stops it; null if a caller does. */
    readonly error: StopError | null = null,
  ) {
    super(`The job was interrupted: ${how}.`);
  }
}
