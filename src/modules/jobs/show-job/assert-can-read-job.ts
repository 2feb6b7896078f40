import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';

export type JobSiteAccess = {
  readonly isAnonymous: boolean;
  readonly isPublic: boolean;
  /** Whether the caller has a role on the job's site or sent the site's edit token. */
  readonly isInvolved: boolean;
};

/** The message is the same for a job that does not exist and for a job that the caller can't read. */
export const refuseJob = (jobId: string): never =>
  refuse('job_not_found', `There is no job ${quoteId(jobId)}, or you have no access to it.`);

/**
 * Refuses a caller who can't read the job with `job_not_found`. If the job's site is anonymous and public, anyone who
 * knows the job's ID can read the job. Otherwise, the caller needs a role on the site or the site's edit token
 * (docs/interface/repositories.md, "Jobs").
 */
export function assertCanReadJob(jobId: string, site: JobSiteAccess | null): void {
  const isOpen = site?.isAnonymous && site.isPublic;
  if (!isOpen && !site?.isInvolved) refuseJob(jobId);
}
