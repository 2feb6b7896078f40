import { type JobEvent, JobQueued } from '../../events/job.events.js';
import type { RepoSource } from '../../events/repo-source.js';
import type { Job } from './job.state.js';

export type Queue = {
  readonly kind: 'repo_deploy' | 'rerun';
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  readonly source: RepoSource;
};

/** A job comes into being once. The same command again is a try after an answer that was lost. */
export function decideQueue(job: Job, queue: Queue): JobEvent[] {
  return job.status === 'unknown' ? [JobQueued(queue)] : [];
}
