import { type JobEvent, JobQueued } from '../../events/job.events.js';
import type { RepoSource } from '../../events/repo-source.js';
import type { JobStarter } from '../../kernel/rights/job-right.js';
import type { Job } from './job.state.js';

export type Queue = JobStarter & {
  readonly kind: 'repo_deploy' | 'rerun';
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  readonly source: RepoSource;
};

/** Queues a job. If the job already exists, the command is a retry after a lost response and changes nothing. */
export function decideQueue(job: Job, { kind, siteId, slug, deployId, source, ...starter }: Queue): JobEvent[] {
  const { by, memberId, trust, linkId } = starter;
  if (job.status !== 'unknown') return [];
  return [JobQueued({ kind, siteId, slug, deployId, source, by, memberId, trust, linkId })];
}
