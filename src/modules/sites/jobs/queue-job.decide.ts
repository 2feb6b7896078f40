import { MemberAdded } from '../../../events/member.events.js';
import type { RepoSource } from '../../../events/repo-source.js';
import { SiteCreated, type SiteEvent, SiteJobQueued } from '../../../events/site.events.js';
import type { Given } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayEdit } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type QueueJob = Given & {
  readonly jobId: string;
  readonly source: RepoSource;
  /** What a site that does not exist yet is made with, its slug held; null for one that the caller has found. */
  readonly create: {
    readonly slug: string;
    /** Of a site that will be nobody’s; null where it has an owner from the start. */
    readonly editTokenHash: string | null;
    readonly owner: { readonly memberId: string; readonly userId: string } | null;
  } | null;
};

/** A job is to deploy the site. The site is there at once, with nothing to show: who asked has its name and its key. */
export function decideQueueJob(site: Site, { jobId, source, create, ...given }: QueueJob): SiteEvent[] {
  if (isQueued(site, jobId)) return [];
  const queued = SiteJobQueued({ jobId, source });
  if (create && site.status === 'unknown') {
    const { slug, editTokenHash, owner } = create;
    const added = owner === null ? [] : [MemberAdded({ ...owner, role: 'owner', inviteId: null })];
    return [SiteCreated({ slug, editTokenHash }), ...added, queued];
  }
  if (create) return refuse('conflict', 'This site exists already.');
  mayEdit(site, given);
  return [queued];
}

export type QueueAgain = Given & { readonly jobId: string };

/** What was last asked for is asked for again, whether or not it ever succeeded: secrets may have changed since. */
export function decideQueueAgain(site: Site, { jobId, ...given }: QueueAgain): SiteEvent[] {
  const { jobs } = mayEdit(site, given);
  if (isQueued(site, jobId)) return [];
  const [last] = jobs;
  if (!last) return refuse('nothing_to_rerun', 'This site was never deployed from a repository.');
  return [SiteJobQueued({ jobId, source: last.source })];
}

/** The same command again, after an answer that was lost. */
const isQueued = (site: Site, id: string) => site.status === 'live' && site.jobs.some(({ jobId }) => jobId === id);
