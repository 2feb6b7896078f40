import { refuse } from '../../../kernel/refusal.js';

/** What the job’s site is to the caller; null for a site that is not known. */
export type JobSite = {
  readonly isAnonymous: boolean;
  readonly isPublic: boolean;
  /** A role on the site, or its edit token. */
  readonly isTheirs: boolean;
};

/** The same for a job that does not exist and for one that the caller may not read. */
export const JOB_NOT_FOUND = 'This job does not exist, or you do not have access to it.';

/**
 * A caller who knows the id of a job may read it where the site is anonymous and public; else it takes a role on the
 * site, and to a caller without one there is no such job (docs/interface.md, "Repositories and jobs").
 */
export function assertCanReadJob(site: JobSite | null): void {
  const isOpen = site?.isAnonymous && site.isPublic;
  if (!isOpen && !site?.isTheirs) refuse('job_not_found', JOB_NOT_FOUND);
}
