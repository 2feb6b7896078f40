import type { RepoSource } from '../../../../events/repo-source.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import { SiteCreated, type SiteEvent, SiteExpirySet, SiteJobQueued } from '../../../../events/site/site.events.js';
import { type ActorContext, type CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit, isAvailable } from '../../site/assert-access.rule.js';
import type { RunningSiteJob } from '../../site/state/deploys.state.js';
import type { SiteLink } from '../../site/state/settings.state.js';
import { type Site } from '../../site/state/site.state.js';
import type { Expiry } from '../deploy/publish.decide.js';

export type NewSiteJob = {
  readonly context: CommandContext;
  readonly jobId: string;
  readonly source: RepoSource;
  /** ID of the site’s repository link if the job builds its branch without overrides; otherwise null. */
  readonly linkId: string | null;
  /** Data for creating the site, whose slug is already held; null if the site exists. */
  readonly create: {
    readonly slug: string;
    /** Hash of the edit token, or null if the site has an owner from the start. */
    readonly editTokenHash: string | null;
    readonly owner: { readonly memberId: string; readonly userId: string } | null;
    readonly expiry: Expiry | null;
  } | null;
};

/**
 * Queues a job that deploys the site. A new site is created immediately, without a deploy, so that the caller gets its
 * slug and edit token.
 */
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

/** Queues the last job again, whether or not it succeeded, because secrets may have changed since. */
export function decideQueueAgain(site: Site, { context, jobId }: QueueAgain): SiteEvent[] {
  const { jobs, repository } = assertCanEdit(site, context);
  if (isQueued(site, jobId)) return [];
  const [last] = jobs;
  if (!last) return refuse('nothing_to_rerun', 'This site has never been deployed from a repository.');
  return [SiteJobQueued({ jobId, source: last.source, linkId: linkOf(last, repository), dueAt: null })];
}

/** Returns the ID of the repository link that the job was built from, or null if the link has been replaced since. */
const linkOf = ({ linkId }: RunningSiteJob, repository: SiteLink | null) =>
  linkId !== null && repository?.linkId === linkId ? linkId : null;

export type QueueDueBuild = {
  readonly context: ActorContext;
  readonly jobId: string;
  /** When the build was scheduled, as an RFC 3339 timestamp. */
  readonly dueAt: string;
};

/** Queues a scheduled build. Records nothing if the build is no longer due. */
export function decideQueueDueBuild(site: Site, { context, jobId, dueAt }: QueueDueBuild): SiteEvent[] {
  const link = dueLink(site, { at: context.at, dueAt });
  return link === null ? [] : [SiteJobQueued({ jobId, source: toRepoSource(link), linkId: link.linkId, dueAt })];
}

/**
 * Returns the repository link to build at this scheduled time, or null if that build is already queued or no longer
 * needed.
 */
export function dueLink(site: Site, { at, dueAt }: { readonly at: string; readonly dueAt: string }): SiteLink | null {
  if (!isAvailable(site, at) || site.repository === null || site.repository.schedule === null) return null;
  return site.builtDueAt !== null && site.builtDueAt >= dueAt ? null : site.repository;
}

export const toRepoSource = ({ url, branch, rootDirectory, plan }: SiteLink): RepoSource => ({
  url,
  ref: branch,
  rootDirectory,
  plan,
});

/** Reports whether the job is already queued because the command is a retry after a lost response. */
const isQueued = (site: Site, id: string) => site.status === 'live' && site.jobs.some(({ jobId }) => jobId === id);
