import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { RepoSource } from '../../../events/repo-source.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { bySystem, type CommandContext } from '../../../kernel/command-context.js';
import type { Head } from '../../../kernel/event-store.js';
import { DiskSpace } from '../../../kernel/ports/outside/disk-space.js';
import type { Outcome } from '../../../kernel/transactions.js';
import { createScheduledStarter } from '../publish/jobs/job-right.rule.js';
import { decideLinkRepository, decideUnlinkRepository } from '../publish/jobs/link-repository.decide.js';
import { decideQueueDueBuild, dueLink, toRepoSource } from '../publish/jobs/queue-job.decide.js';
import { assertCanDelegate, assertCanEdit } from '../site/assert-access.rule.js';
import { SiteCommand } from '../site/site-command.js';
import { SiteDirectory } from '../site/site-directory.js';
import type { SiteLink } from '../site/state/settings.state.js';
import type { Site } from '../site/state/site.state.js';
import type { JobTarget } from './deploys.js';

export class LinkSiteRepository extends SiteCommand(decideLinkRepository) {}

export class UnlinkSiteRepository extends SiteCommand(decideUnlinkRepository) {}

export class QueueDueSiteBuild extends SiteCommand(decideQueueDueBuild) {}

/** The repository that a site is built from. Its builds receive the site's secrets. */
export type LinkedSource = {
  /** `ref` is a branch name, or null for the default branch. */
  readonly source: RepoSource;
  /** Five-field cron expression in UTC, or null if the site is built only on request. */
  readonly schedule: string | null;
  /** Whether to skip a scheduled build if the live deploy was built from the branch's head commit. */
  readonly skipUnchanged: boolean;
};

type IdentifiedLink = LinkedSource & { readonly linkId: string };

export type LinkOutcome = {
  readonly linked: LinkedSource | null;
  readonly head: Head;
  readonly position: bigint | null;
};

export type DueBuild = {
  readonly target: JobTarget;
  readonly skipUnchanged: boolean;
  /** The commit that the live deploy was built from, or null if it is unknown. */
  readonly liveCommit: string | null;
};

@Injectable()
export class RepositoryLinks {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly space: DiskSpace,
  ) {}

  /** Runs the checks of `link` before the Git host is contacted. */
  async assertCanLink(context: CommandContext, slug: string): Promise<void> {
    assertCanDelegate((await this.directory.get(slug, context.at)).state, context);
  }

  /** Links a repository, replacing any previous link. Requires the session of an owner. */
  async link(
    context: CommandContext,
    slug: string,
    { source, schedule, skipUnchanged, linkId }: IdentifiedLink,
  ): Promise<LinkOutcome> {
    const { siteId } = await this.directory.get(slug, context.at);
    const { url, ref: branch, rootDirectory, plan } = source;
    const repository = { url, branch, rootDirectory, plan, schedule, skipUnchanged };
    return outcomeOf(await this.commands.execute(new LinkSiteRepository({ context, siteId, repository, linkId })));
  }

  /** Removes the link. Idempotent. Requires the session of an owner. */
  async unlink(context: CommandContext, slug: string): Promise<LinkOutcome> {
    const { siteId } = await this.directory.get(slug, context.at);
    return outcomeOf(await this.commands.execute(new UnlinkSiteRepository({ context, siteId })));
  }

  /** Returns the link, or null if there is none. Requires a caller who can deploy the site. */
  async find(context: CommandContext, slug: string): Promise<IdentifiedLink | null> {
    const { state } = await this.directory.get(slug, context.at);
    const { repository } = assertCanEdit(state, context);
    return repository && { ...linkedSource(repository), linkId: repository.linkId };
  }

  /** Returns the build that is due at this time (RFC 3339), or null if it was already queued or must not run. */
  async findDueBuild(siteId: string, dueAt: string): Promise<DueBuild | null> {
    const { state } = await this.directory.stateOf(siteId);
    const link = dueLink(state, { at: new Date().toISOString(), dueAt });
    if (link === null || state.status !== 'live') return null;
    await this.space.assertRoom();
    const starter = createScheduledStarter(link);
    const target = { siteId, slug: state.slug, source: toRepoSource(link), isNew: false, starter };
    return { target, skipUnchanged: link.skipUnchanged, liveCommit: state.live?.commit ?? null };
  }

  /** Records that the build scheduled for this time was queued. Idempotent. */
  async recordDueBuild(siteId: string, jobId: string, dueAt: string): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new QueueDueSiteBuild({ context, siteId, jobId, dueAt }));
  }
}

const linkedSource = (link: SiteLink): LinkedSource => {
  const { schedule, skipUnchanged } = link;
  return { source: toRepoSource(link), schedule, skipUnchanged };
};

const outcomeOf = ({ state, head, position }: Outcome<Site, SiteEvent>): LinkOutcome => {
  const repository = state.status === 'live' ? state.repository : null;
  return { linked: repository && linkedSource(repository), head, position };
};
