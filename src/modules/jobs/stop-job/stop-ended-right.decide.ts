import { type JobEvent, JobLogged, JobStopped, JobStopRequested } from '../../../events/job.events.js';
import { type RightEnd, rightEnded, type StopError } from '../../../kernel/rights/job-right.js';
import type { Job } from '../job.state.js';

export type StopEndedRight = { readonly end: RightEnd };

/**
 * Stops a job because the right to deploy that it depends on has ended. Records nothing if the job has already ended or
 * is being stopped.
 */
export function decideStopEndedRight(job: Job, { end }: StopEndedRight): JobEvent[] {
  const error = rightEnded(end);
  if (job.status === 'running') return [JobStopRequested({ error })];
  return job.status === 'queued' ? [JobStopRequested({ error }), ...stoppedWithoutWorker(job, error)] : [];
}

type Unended = Extract<Job, { readonly status: 'queued' | 'stopping' }>;

/**
 * Returns the events that end a job without a worker. They include the end of the log, which a worker would otherwise
 * write.
 */
export function stoppedWithoutWorker({ step, lines }: Unended, error: StopError | null): JobEvent[] {
  if (error === null) return [JobStopped({ error })];
  const line = { n: lines + 1, stream: 'stderr' as const, text: error.message };
  return [JobLogged({ step, lines: [line] }), JobStopped({ error })];
}
