import { type JobEvent, JobFailed, JobQueuedAgain, JobStarted } from '../../../events/job.events.js';
import type { Job } from '../job.state.js';
import { stoppedWithoutWorker } from '../stop-job/stop-ended-right.decide.js';

/** A job that has already lost this many workers fails if it loses another, because the job itself may be the cause. */
export const MAX_LOST_WORKERS = 2;

export type Take = { readonly worker: string };

/**
 * Records that a worker with the job's lease takes the job. If the job was still running, its worker was lost: the job
 * is queued and started again, or fails if that has happened too often. A job that was stopping is now stopped.
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
