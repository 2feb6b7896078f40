import type { RepoSource } from '../../../../events/repo-source.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import { SiteCreated, type SiteEvent, SiteExpirySet, SiteJobQueued } from '../../../../events/site/site.events.js';
import { type ActorContext, type CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit, isAvailable } from '../../site/assert-access.decide.js';
import type { SiteJob } from '../../site/deploys.state.js';
import type { SiteLink } from '../../site/settings.state.js';
import { type Site } from '../../site/site.state.js';
import type { Expiry } from '../deploy/publish.decide.js';

export type NewSiteJob = {
  readonly context: CommandContext;
  readonly jobId: string;
  readonly source: RepoSource;
  /** The link whose branch the job builds with nothing overridden; null for any other job. */
  readonly linkId: string | null;
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
export function decideQueueJob(site: Site, { context, jobId, source, linkId, create }: NewSiteJob): SiteEvent[] {
  if (isQueued(site, jobId)) return [];
  const queued = SiteJobQueued({ jobId, source, linkId, dueAt: null });
  if (create && site.status === 'unknown') {
    const { slug, editTokenHash, owner, expiry } = create;
    const added = owner === null ? [] : [MemberAdded({ ...owner, role: 'owner', inviteId: null })];
    const expires = expiry === null ? [] : [SiteExpirySet(expiry)];
    return [SiteCreated({ slug, editTokenHash }), ...added, ...expires, queued];
  }
  if (create) return refuse('conflict', 'This site already exists.');
  const { repository } = assertCanEdit(site, context);
  if (linkId !== null && repository?.linkId !== linkId)
    return refuse('conflict', 'The linked repository was changed at the same time. Try again.');
  return [queued];
}

export type QueueAgain = { readonly context: CommandContext; readonly jobId: string };

/** The last job is queued again, whether or not it succeeded: secrets may have changed since. */
export function decideQueueAgain(site: Site, { context, jobId }: QueueAgain): SiteEvent[] {
  const { jobs, repository } = assertCanEdit(site, context);
  if (isQueued(site, jobId)) return [];
  const [last] = jobs;
  if (!last) return refuse('nothing_to_rerun', 'This site has never been deployed from a repository.');
  return [SiteJobQueued({ jobId, source: last.source, linkId: linkOf(last, repository), dueAt: null })];
}

/** A link that has been replaced since is not the one that the job was of. */
const linkOf = ({ linkId }: SiteJob, repository: SiteLink | null) =>
  linkId !== null && repository?.linkId === linkId ? linkId : null;

export type QueueDueBuild = {
  readonly context: ActorContext;
  readonly jobId: string;
  /** The time in the schedule; RFC 3339. */
  readonly dueAt: string;
};

/** A build of the schedule is in the queue. Nothing is recorded if it is not due any more. */
export function decideQueueDueBuild(site: Site, { context, jobId, dueAt }: QueueDueBuild): SiteEvent[] {
  const link = dueLink(site, { at: context.at, dueAt });
  return link === null ? [] : [SiteJobQueued({ jobId, source: sourceOf(link), linkId: link.linkId, dueAt })];
}

/** The link that is to be built at this time in its schedule; null if it was built then, or is not to be. */
export function dueLink(site: Site, { at, dueAt }: { readonly at: string; readonly dueAt: string }): SiteLink | null {
  if (!isAvailable(site, at) || site.repository === null || site.repository.schedule === null) return null;
  return site.builtDueAt !== null && site.builtDueAt >= dueAt ? null : site.repository;
}

/** What a build of the link is made from. */
export const sourceOf = ({ url, branch, rootDirectory, plan }: SiteLink): RepoSource => ({
  url,
  ref: branch,
  rootDirectory,
  plan,
});

/** Whether this very command was carried out before, and its answer lost. */
const isQueued = (site: Site, id: string) => site.status === 'live' && site.jobs.some(({ jobId }) => jobId === id);
