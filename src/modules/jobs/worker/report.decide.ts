import type { JobEvent } from '../../../events/job.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Job } from '../job.state.js';

export type Report = { readonly worker: string; readonly attempt: number; readonly events: readonly JobEvent[] };

/** Records the events that a worker reports. Refuses with `lease_lost` if the worker no longer has the job. */
export function decideReport(job: Job, { worker, attempt, events }: Report): readonly JobEvent[] {
  const isTheirs =
    (job.status === 'running' || job.status === 'stopping') && job.worker === worker && job.attempts === attempt;
  return isTheirs ? events : refuse('lease_lost', 'Another worker has taken over the job, or the job has ended.');
}
