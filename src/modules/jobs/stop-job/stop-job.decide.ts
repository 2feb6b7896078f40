import { type JobEvent, JobStopped, JobStopRequested } from '../../../events/job.events.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Job } from '../job.state.js';

/** Stops a queued job immediately. If the job is running, notifies its worker. */
export function decideStop(job: Job, { jobId }: { readonly jobId: string }): JobEvent[] {
  switch (job.status) {
    case 'unknown':
      return refuse('job_not_found', `There is no job ${quoteId(jobId)}.`);
    case 'queued':
      return [JobStopRequested({ error: null }), JobStopped({ error: null })];
    case 'running':
      return [JobStopRequested({ error: null })];
    case 'stopping':
    case 'stopped':
      return [];
    default:
      return refuse('job_finished', FINISHED[job.status]);
  }
}

const FINISHED = {
  succeeded: 'The job has already succeeded.',
  failed: 'The job has already failed.',
} as const;
