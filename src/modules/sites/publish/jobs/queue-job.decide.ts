import type { RepoSource } from '../../../../events/repo-source.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import { SiteCreated, type SiteEvent, SiteExpirySet, SiteJobQueued } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit } from '../../site/assert-access.decide.js';
import type { Site } from '../../site/site.state.js';
import type { Expiry } from '../deploy/publish.decide.js';

export type NewSiteJob = {
  readonly context: CommandContext;
  readonly jobId: string;
  readonly source: RepoSource;
  /** What a site that does not exist yet is made with, its slug held; null for one that the caller has found. */
  readonly create: {
    readonly slug: string;
    /** Of a site without an owner; null where it has one from the start. */
    readonly editTokenHash: string | null;
    readonly owner: { readonly memberId: string; readonly userId: string } | null;
    /** Null for a site that stays. */
    readonly expiry: Expiry | null;
  } | null;
};

/** A job is to deploy the site. The site is there at once, with nothing to show: the caller has its slug and its edit token. */
export function decideQueueJob(site: Site, { context, jobId, source, create }: NewSiteJob): SiteEvent[] {
  if (isQueued(site, jobId)) return [];
  const queued = SiteJobQueued({ jobId, source });
  if (create && site.status === 'unknown') {
    const { slug, editTokenHash, owner, expiry } = create;
    const added = owner === null ? [] : [MemberAdded({ ...owner, role: 'owner', inviteId: null })];
    const expires = expiry === null ? [] : [SiteExpirySet(expiry)];
    return [SiteCreated({ slug, editTokenHash }), ...added, ...expires, queued];
  }
  if (create) return refuse('conflict', 'This site already exists.');
  assertCanEdit(site, context);
  return [queued];
}

export type QueueAgain = { readonly context: CommandContext; readonly jobId: string };

/** The last job is queued again, whether or not it succeeded: secrets may have changed since. */
export function decideQueueAgain(site: Site, { context, jobId }: QueueAgain): SiteEvent[] {
  const { jobs } = assertCanEdit(site, context);
  if (isQueued(site, jobId)) return [];
  const [last] = jobs;
  if (!last) return refuse('nothing_to_rerun', 'This site has never been deployed from a repository.');
  return [SiteJobQueued({ jobId, source: last.source })];
}

/** Whether this very command was carried out before, and its answer lost. */
const isQueued = (site: Site, id: string) => site.status === 'live' && site.jobs.some(({ jobId }) => jobId === id);
