import { type JobEvent, JobFailed, JobQueuedAgain, JobStarted } from '../../../events/job.events.js';
import type { Job } from '../job.state.js';
import { stoppedWithoutWorker } from '../stop-job/stop-ended-right.decide.js';

/** After this many lost workers, the job itself may be the cause. */
export const MAX_LOST_WORKERS = 2;

export type Take = { readonly worker: string };

/**
 * Records that a worker with the job’s lease takes it. A job that is still running has lost its worker: it is queued
 * again and started, or fails if that happened too often. A job that was stopping has stopped.
 */
export function decideTake(job: Job, { worker }: Take): JobEvent[] {
  switch (job.status) {
    case 'queued':
      return [JobStarted({ worker, attempt: job.attempts + 1 })];
    case 'running': {
      if (job.worker === worker) return [];
      if (job.lost >= MAX_LOST_WORKERS) return [JobFailed({ code: 'worker_lost', message: LOST })];
      return [JobQueuedAgain({ reason: 'worker_lost' }), JobStarted({ worker, attempt: job.attempts + 1 })];
    }
    case 'stopping':
      return stoppedWithoutWorker(job, job.error);
    default:
      return [];
  }
}

const LOST = 'The worker that ran the job stopped unexpectedly three times.';
