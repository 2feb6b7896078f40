import { refuse } from '../../../kernel/refusal.js';

/** What the job’s site is to the caller; null for a site that is not known. */
export type JobSite = {
  readonly isAnonymous: boolean;
  readonly isPublic: boolean;
  /** A role on the site, or its edit token. */
  readonly isTheirs: boolean;
};

/**
 * A caller who knows the id of a job may read it where the site is anonymous and public; else it takes a role on the
 * site, and to a caller without one there is no such job (docs/interface/repositories.md, "Jobs").
 */
export function assertCanReadJob(site: JobSite | null): void {
  const isOpen = site?.isAnonymous && site.isPublic;
  if (!isOpen && !site?.isTheirs) refuse('job_not_found');
}
