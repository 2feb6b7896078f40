import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SiteNetworks } from '../../../../accounts/shares/site-networks.js';
import type { UploadedEntry } from '../../../../content/uploads/bodies/uploaded-entry.js';
import { sitePath } from '../../../../content/uploads/checks/site-path.js';
import { metered } from '../../../../content/uploads/metered-intake.js';
import { storeBytes, storeUpload, wholeSite } from '../../../../content/uploads/store-upload.js';
import type { RepoSource } from '../../../../events/repo-source.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { type ActorContext, bySystem, type CommandContext } from '../../../../kernel/command-context.js';
import type { Actor } from '../../../../kernel/event-store.js';
import { StorageFull } from '../../../../kernel/faults/storage-full.js';
import {
  type JobContent,
  type JobDeploy,
  type JobFile,
  JobSites,
  type LinkedSource,
  type NewJob,
} from '../../../../kernel/ports/job-sites.js';
import { DiskSpace } from '../../../../kernel/ports/outside/disk-space.js';
import type { ServedProgram } from '../../../../kernel/ports/site-servers.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { type JobRight, type RightEnd, RightEndedError } from '../../../../kernel/rights/job-right.js';
import type { Outcome } from '../../../../kernel/transactions.js';
import { AnonymousExpiry, LimitsOfDeploys } from '../../../../settings/deploy-settings.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { secretsInForce } from '../../settings/secrets/secret.decide.js';
import { SiteSecrets } from '../../settings/secrets/site-secrets.js';
import { assertCanDelegate, assertCanEdit, assertCanRead } from '../../site/assert-access.decide.js';
import { assertCanCreateSite } from '../../site/assert-can-create-site.js';
import { siteToDeploy } from '../../site/edits.js';
import type { SiteLink } from '../../site/settings.state.js';
import type { Site } from '../../site/site.state.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { after } from '../deploy/expiry.js';
import { isUnchanged } from '../deploy/is-unchanged.js';
import { AnonymousContent } from '../shares/anonymous-content.js';
import { DeployBytes } from '../shares/deploy-bytes.js';
import { SharesOfSites } from '../shares/site-shares.js';
import { validSlug } from '../slugs/slug-name.js';
import { isTokenOf, isTrusted, starterOf, starterOfSchedule } from './job-right.decide.js';
import { decideLinkRepository, decideUnlinkRepository } from './link-repository.decide.js';
import { decidePublishJob } from './publish-job.decide.js';
import { decideQueueAgain, decideQueueDueBuild, decideQueueJob, dueLink, sourceOf } from './queue-job.decide.js';
import { RevokedCredentials } from './revoked-credentials.js';
import { storeProgram } from './store-program.js';

export class QueueSiteJob extends SiteCommand(decideQueueJob) {}

export class QueueSiteJobAgain extends SiteCommand(decideQueueAgain) {}

export class QueueDueSiteBuild extends SiteCommand(decideQueueDueBuild) {}

export class LinkSiteRepository extends SiteCommand(decideLinkRepository) {}

export class UnlinkSiteRepository extends SiteCommand(decideUnlinkRepository) {}

export class PublishSiteJob extends SiteCommand(decidePublishJob) {}

/** Sites as jobs see them. */
@Injectable()
export class SiteJobs extends JobSites<RepoSource> {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(SiteSecrets) private readonly secrets: SiteSecrets,
    @Inject(RevokedCredentials) private readonly revoked: RevokedCredentials,
    @Inject(LimitsOfDeploys) private readonly limits: LimitsOfDeploys,
    @Inject(AnonymousExpiry) private readonly anonymousExpiry: AnonymousExpiry,
    @Inject(DiskSpace) private readonly space: DiskSpace,
    @Inject(SiteNetworks) private readonly networks: SiteNetworks,
    @Inject(SharesOfSites) private readonly shares: SharesOfSites,
    @Inject(DeployBytes) private readonly deployBytes: DeployBytes,
    @Inject(AnonymousContent) private readonly anonymousContent: AnonymousContent,
  ) {
    super();
  }

  override async assertCanQueue(
    context: CommandContext,
    { slug, siteId }: Pick<NewJob<RepoSource>, 'slug' | 'siteId'>,
  ) {
    await this.space.assertRoom();
    await this.#destination(context, slug, siteId);
  }

  override async queue(
    context: CommandContext,
    { jobId, slug: asked, source, linkId, siteId, editTokenHash, owner, network }: NewJob<RepoSource>,
  ) {
    const { id, isNew } = await this.#destination(context, asked, siteId);
    if (isNew && owner === null) await this.networks.keep(siteId, network);
    const expiresAt = owner === null ? after(context.at, this.anonymousExpiry.seconds) : null;
    const create = isNew
      ? {
          slug: await this.directory.holdAgainFor(siteId, asked, context.at),
          editTokenHash,
          owner,
          expiry: expiresAt === null ? null : { expiresAt, renews: true },
        }
      : null;
    try {
      const command = new QueueSiteJob({ context, siteId: id, jobId, source, linkId, create });
      const site = live(await this.commands.execute(command));
      // The caller of a new anonymous site does not know its edit token yet.
      const starting = isNew ? { ...context, caller: { ...context.caller, editTokenHash } } : context;
      const starter = starterOf(site, starting, linkId);
      return { siteId: id, slug: site.slug, source, isNew, starter };
    } catch (error) {
      if (isNew && error instanceof StorageFull) this.directory.giveUp(siteId);
      throw error;
    }
  }

  /** Returns the site with this slug if the caller may edit it, otherwise a new one with the given ID. */
  async #destination(context: CommandContext, slug: string | null, newId: string) {
    if (slug !== null) validSlug(slug);
    const found = await siteToDeploy(this.directory, context, { slug, siteId: newId });
    if (found) return { id: found.siteId, isNew: false };
    assertCanCreateSite(context.caller);
    return { id: newId, isNew: true };
  }

  override async queueAgain(context: CommandContext, slug: string, jobId: string) {
    const { siteId } = await this.directory.get(slug, context.at);
    await this.space.assertRoom();
    const command = new QueueSiteJobAgain({ context, siteId, jobId });
    const site = live(await this.#orTellOfEarlierSite(slug, this.commands.execute(command)));
    const queued = site.jobs.find((job) => job.jobId === jobId);
    const { source, linkId } = queued ?? refuse('conflict');
    return { siteId, slug: site.slug, source, isNew: false, starter: starterOf(site, context, linkId) };
  }

  override async assertCanLink(context: CommandContext, slug: string) {
    assertCanDelegate((await this.directory.get(slug, context.at)).state, context);
  }

  override async link(
    context: CommandContext,
    slug: string,
    { source, schedule, skipUnchanged, linkId }: Parameters<JobSites<RepoSource>['link']>[2],
  ) {
    const { siteId } = await this.directory.get(slug, context.at);
    const { url, ref: branch, rootDirectory, plan } = source;
    const repository = { url, branch, rootDirectory, plan, schedule, skipUnchanged };
    return outcomeOf(await this.commands.execute(new LinkSiteRepository({ context, siteId, repository, linkId })));
  }

  override async unlink(context: CommandContext, slug: string) {
    const { siteId } = await this.directory.get(slug, context.at);
    return outcomeOf(await this.commands.execute(new UnlinkSiteRepository({ context, siteId })));
  }

  override async linkOf(context: CommandContext, slug: string) {
    const { state } = await this.directory.get(slug, context.at);
    const { repository } = assertCanEdit(state, context);
    return repository && { ...linkedSource(repository), linkId: repository.linkId };
  }

  override async dueBuild(siteId: string, dueAt: string) {
    const { state } = await this.directory.stateOf(siteId);
    const link = dueLink(state, { at: new Date().toISOString(), dueAt });
    if (link === null || state.status !== 'live') return null;
    await this.space.assertRoom();
    const starter = starterOfSchedule(link);
    const target = { siteId, slug: state.slug, source: sourceOf(link), isNew: false, starter };
    return { target, skipUnchanged: link.skipUnchanged, liveCommit: state.live?.commit ?? null };
  }

  override async recordDueBuild(siteId: string, jobId: string, dueAt: string) {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new QueueDueSiteBuild({ context, siteId, jobId, dueAt }));
  }

  /** A caller who reruns a failed job may not know that its site has been deleted since. */
  async #orTellOfEarlierSite<T>(slug: string, asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      const isOfAnother = error instanceof Refusal && ['edit_token_invalid', 'forbidden'].includes(error.code);
      if (!isOfAnother || !(await this.directory.wasGivenBack(slug))) throw error;
      return refuse(
        error.code,
        'Another site has this slug now. The site that had it before was deleted because its repository was never successfully deployed. If that site was yours, deploy the repository again under another slug with POST /v1/repo/deploy.',
      );
    }
  }

  override async readBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    assertCanRead(state, context);
    return siteId;
  }

  override async assertCanDeploy(siteId: string, context: CommandContext) {
    assertCanEdit((await this.directory.stateOf(siteId)).state, context);
  }

  override async whyRightEnded(siteId: string, right: JobRight): Promise<RightEnd | null> {
    const { state } = await this.directory.stateOf(siteId);
    return this.revoked.whyEnded(state, right);
  }

  override revokedAmong<Right extends JobRight>(rights: readonly Right[]) {
    return this.revoked.among(rights);
  }

  async #assertRight(siteId: string, right: JobRight): Promise<void> {
    const end = await this.whyRightEnded(siteId, right);
    if (end !== null) throw new RightEndedError(end);
  }

  override async environment(siteId: string, right: JobRight) {
    await this.#assertRight(siteId, right);
    const { state } = await this.directory.stateOf(siteId);
    if (!isTrusted(state, right)) {
      const isWithheld = state.status === 'live' && secretsInForce(state).size > 0;
      return { isTrusted: false, secrets: new Map<string, string>(), isWithheld };
    }
    const secrets = await this.secrets.environment(siteId);
    // An owner who claimed the site in between may have set a secret.
    if (secrets.size > 0) await this.#assertRight(siteId, right);
    return { isTrusted: true, secrets, isWithheld: false };
  }

  override async countEndedRights(siteId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live' ? state.endedRights : 0;
  }

  override async takeIn(
    siteId: string,
    files: AsyncIterable<JobFile>,
    { kind, id }: Actor,
    onLeftOut: (path: string, why: string) => void,
  ): Promise<JobContent> {
    const limits = this.limits.of(kind === 'user' ? (id ?? null) : null);
    return {
      ...(await storeUpload(this.blobs, allowed(files, onLeftOut), limits, {
        ...wholeSite,
        meter: await this.#meterOf(siteId),
      })),
      program: null,
    };
  }

  override async takeInProgram(siteId: string, kind: ServedProgram['kind'], content: AsyncIterable<Uint8Array>) {
    return storeProgram(this.blobs, kind, metered(content, await this.#meterOf(siteId)), this.limits.programBytes);
  }

  async #meterOf(siteId: string) {
    return this.deployBytes.meterOf(await this.shares.shareOf(siteId));
  }

  override async findDeploy(siteId: string, deployId: string) {
    const { state } = await this.directory.stateOf(siteId);
    if (state.status === 'deleted') return refuse('site_not_found', 'This site has been deleted.');
    const isThere = state.status === 'live' && state.deploys.some((deploy) => deploy.deployId === deployId);
    return isThere ? { unchanged: isUnchanged(state, deployId) } : null;
  }

  override async publish(
    { siteId, content: stored, provenance, ...made }: JobDeploy,
    right: JobRight,
    context: ActorContext,
  ) {
    const { manifest, files, bytes } = stored;
    const program = stored.program === null ? null : { kind: stored.program };
    const { sha256 } = await storeBytes(this.blobs, provenance);
    const content = {
      ...{ ...made, manifest, files, bytes, program },
      ...{ source: 'repo' as const, message: null, provenance: sha256 },
    };
    const { state } = await this.directory.stateOf(siteId);
    const isByTokenOfSite = isTokenOf(state, right);
    const renewedExpiry = after(context.at, this.anonymousExpiry.seconds);
    const command = new PublishSiteJob({ context, siteId, content, right, isByTokenOfSite, renewedExpiry });
    const isUnclaimed = state.status === 'live' && state.editTokenHash !== null;
    const counted = { siteId, deployId: made.deployId, manifest: program === null ? manifest : null, bytes };
    const deploy = isUnclaimed ? { ...counted, share: await this.shares.shareOf(siteId) } : null;
    // Last, as no event of the site records what it finds out.
    const revoked = await this.revoked.whyRevoked(right);
    if (revoked !== null) throw new RightEndedError(revoked);
    const site = live(await this.anonymousContent.publish(deploy, () => this.commands.execute(command)));
    return { unchanged: isUnchanged(site, made.deployId) };
  }
}

/** What clients see of a link. */
const linkedSource = (link: SiteLink): LinkedSource<RepoSource> => {
  const { schedule, skipUnchanged } = link;
  return { source: sourceOf(link), schedule, skipUnchanged };
};

const outcomeOf = ({ state, head, position }: Outcome<Site, SiteEvent>) => {
  const repository = state.status === 'live' ? state.repository : null;
  return { linked: repository && linkedSource(repository), head, position };
};

const live = ({ state }: { readonly state: Site }) =>
  state.status === 'live'
    ? state
    : refuse('site_expired', 'This site was published for a limited time and has expired.');

/** Leaves out files that are never published; the job's log names each of them. */
async function* allowed(
  files: AsyncIterable<JobFile>,
  onLeftOut: (path: string, why: string) => void,
): AsyncGenerator<UploadedEntry> {
  for await (const file of files) {
    const why = 'leftOut' in file ? file.leftOut : blocked(file.path) ? 'files of this kind are never published' : null;
    if (why !== null) {
      onLeftOut(file.path, why);
      yield { path: file.path, field: file.path, leftOut: why };
    } else yield { ...file, field: file.path } as UploadedEntry;
  }
}

function blocked(path: string): boolean {
  try {
    sitePath(path, path);
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'blocked_path') return true;
    throw error;
  }
}
