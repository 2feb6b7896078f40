import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SiteNetworks } from '../../../accounts/shares/site-networks.js';
import { refuseFileCount } from '../../../content/uploads/deploy-limits.js';
import { metered } from '../../../content/uploads/metered-intake.js';
import { storeBytes, storeUpload, wholeSite } from '../../../content/uploads/store-upload.js';
import type { RepoSource } from '../../../events/repo-source.js';
import type { ActorContext, CommandContext } from '../../../kernel/command-context.js';
import type { Actor } from '../../../kernel/event-store.js';
import { StorageFullError } from '../../../kernel/faults/storage-full.js';
import { DiskSpace } from '../../../kernel/ports/outside/disk-space.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { type JobRight, type JobStarter, RightEndedError } from '../../../kernel/rights/job-right.js';
import { AnonymousExpiry, LimitsOfDeploys } from '../../../settings/deploy-settings.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { after, isUnchanged } from '../publish/deploy/deploy-schemas.js';
import { isBlocked, type JobFile, takeAllowedFiles } from '../publish/jobs/allowed-files.js';
import { createJobStarter, isSiteToken } from '../publish/jobs/job-right.rule.js';
import { decidePublishJob } from '../publish/jobs/publish-job.decide.js';
import { decideQueueAgain, decideQueueJob } from '../publish/jobs/queue-job.decide.js';
import { RevokedCredentials } from '../publish/jobs/revoked-credentials.js';
import { type JobContent, storeServerOutput } from '../publish/jobs/store-server-output.js';
import { AnonymousContent } from '../publish/shares/anonymous-content.js';
import { DeployBytes } from '../publish/shares/deploy-bytes.js';
import { validSlug } from '../publish/slugs/slug-name.js';
import { assertCanCreateSite } from '../site/assert-can-create-site.js';
import { siteToDeploy } from '../site/edits.js';
import { SiteCommand } from '../site/site-command.js';
import { SiteDirectory } from '../site/site-directory.js';
import type { Site } from '../site/state/site.state.js';
import { SiteShares } from './site-shares.js';

export type { JobContent, JobFile };

export class QueueSiteJob extends SiteCommand(decideQueueJob) {}

export class QueueSiteJobAgain extends SiteCommand(decideQueueAgain) {}

export class PublishSiteJob extends SiteCommand(decidePublishJob) {}

export type NewJob = {
  readonly jobId: string;
  /** Slug of the site, or null to let the service choose the slug of a new site. */
  readonly slug: string | null;
  readonly source: RepoSource;
  /** ID of the site's link to a repository if the job builds the linked branch without overrides, otherwise null. */
  readonly linkId: string | null;
  /** ID to use for the site if a new one has to be created. */
  readonly siteId: string;
  /** Hash of the new site's edit token. Null unless the job creates a site without an owner. */
  readonly editTokenHash: string | null;
  readonly owner: { readonly memberId: string; readonly userId: string } | null;
  readonly network: string;
};

export type JobTarget = {
  readonly siteId: string;
  readonly slug: string;
  readonly source: RepoSource;
  /** Whether the site was created for this job. The caller then receives its edit token. */
  readonly isNew: boolean;
  readonly starter: JobStarter;
};

export type JobDeploy = {
  readonly siteId: string;
  readonly deployId: string;
  readonly jobId: string;
  readonly commit: string;
  readonly content: JobContent;
  /** Signed statement of how the deploy was built. */
  readonly provenance: Uint8Array;
};

export type PublishedDeploy = {
  /** Whether the previous live deploy had the same content. */
  readonly unchanged: boolean;
};

/** Deploys sites from jobs: queues a job, stores its output and publishes it. */
@Injectable()
export class Deploys {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly blobs: BlobStore,
    private readonly revoked: RevokedCredentials,
    private readonly limits: LimitsOfDeploys,
    private readonly anonymousExpiry: AnonymousExpiry,
    private readonly space: DiskSpace,
    private readonly networks: SiteNetworks,
    private readonly shares: SiteShares,
    private readonly deployBytes: DeployBytes,
    private readonly anonymousContent: AnonymousContent,
  ) {}

  /** Runs the checks of `queue` before the repository is contacted. Records nothing. */
  async assertCanQueue(context: CommandContext, { slug, siteId }: Pick<NewJob, 'slug' | 'siteId'>): Promise<void> {
    await this.space.assertRoom();
    await this.#destination(context, slug, siteId);
  }

  /**
   * Queues a job for the site with this slug if the caller can deploy it, otherwise for a new site. Idempotent for the
   * same IDs. Refuses with `invalid_slug` or `slug_taken`, or for the same reasons as a redeploy.
   */
  async queue(
    context: CommandContext,
    { jobId, slug: asked, source, linkId, siteId, editTokenHash, owner, network }: NewJob,
  ): Promise<JobTarget> {
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
      // Add the edit token of a new anonymous site. The request does not contain it, because the caller does not know
      // it yet.
      const starting = isNew ? { ...context, caller: { ...context.caller, editTokenHash } } : context;
      const starter = createJobStarter(site, starting, linkId);
      return { siteId: id, slug: site.slug, source, isNew, starter };
    } catch (error) {
      if (isNew && error instanceof StorageFullError) this.directory.giveUp(siteId);
      throw error;
    }
  }

  /** Returns the ID of the site with this slug if the caller can edit it; otherwise the given ID for a new site. */
  async #destination(context: CommandContext, slug: string | null, newId: string) {
    if (slug !== null) validSlug(slug);
    const found = await siteToDeploy(this.directory, context, { slug, siteId: newId });
    if (found) return { id: found.siteId, isNew: false };
    assertCanCreateSite(context.caller);
    return { id: newId, isNew: true };
  }

  /** Like `queue`, but reuses the source of the site's last job. Also refuses with `nothing_to_rerun`. */
  async queueAgain(context: CommandContext, slug: string, jobId: string): Promise<JobTarget> {
    const { siteId } = await this.directory.get(slug, context.at);
    await this.space.assertRoom();
    const command = new QueueSiteJobAgain({ context, siteId, jobId });
    const site = live(await this.#orTellOfEarlierSite(slug, this.commands.execute(command)));
    const queued = site.jobs.find((job) => job.jobId === jobId);
    const { source, linkId } = queued ?? refuse('conflict');
    return { siteId, slug: site.slug, source, isNew: false, starter: createJobStarter(site, context, linkId) };
  }

  /**
   * If the site was deleted and another site now has its slug, refuses with a message that says so. Otherwise, a caller
   * who reruns a failed job might not know why they were refused.
   */
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

  /**
   * Stores the files of a job's output. Applies the rules for uploads, and the limits of the actor who started the job.
   * Skips files that are never published and passes the reason for each to `onLeftOut`. Refuses with `rate_limited` if
   * the site's owner, or the network of an anonymous site, has deployed too many bytes today.
   */
  async storeFiles(
    siteId: string,
    files: AsyncIterable<JobFile>,
    { kind, id }: Actor,
    onLeftOut: (path: string, why: string) => void,
  ): Promise<JobContent> {
    const limits = this.limits.of(kind === 'user' ? (id ?? null) : null);
    const meter = await this.#meterOf(siteId);
    const stored = await storeUpload(this.blobs, takeAllowedFiles(files, onLeftOut), limits, { ...wholeSite, meter });
    return { ...stored, program: null };
  }

  /**
   * Refuses with `too_many_files`, before reading any file, if there are more files than the actor may deploy. Files
   * that are never published don't count.
   */
  assertFileCount(paths: readonly (string | null)[], { kind, id }: Actor): void {
    const limits = this.limits.of(kind === 'user' ? (id ?? null) : null);
    if (paths.length <= limits.files) return;
    const count = countPublished(paths);
    if (count > limits.files) refuseFileCount(limits, count);
  }

  allowsFileCount(paths: readonly (string | null)[], { kind, id }: Actor): boolean {
    const { files } = this.limits.of(kind === 'user' ? (id ?? null) : null);
    return paths.length <= files || countPublished(paths) <= files;
  }

  /** Stores a server's output or image while it arrives. Refuses with `too_large` or `rate_limited`. */
  async storeServer(
    siteId: string,
    kind: ServedDeploy['kind'],
    content: AsyncIterable<Uint8Array>,
  ): Promise<JobContent> {
    return storeServerOutput(this.blobs, kind, metered(content, await this.#meterOf(siteId)), this.limits.serverBytes);
  }

  async #meterOf(siteId: string) {
    return this.deployBytes.meterOf(await this.shares.shareOf(siteId));
  }

  /**
   * Returns the deploy if an earlier attempt of the job published it, otherwise null. Refuses with `site_not_found` if
   * the site was deleted.
   */
  async find(siteId: string, deployId: string): Promise<PublishedDeploy | null> {
    const { state } = await this.directory.stateOf(siteId);
    if (state.status === 'deleted') return refuse('site_not_found', 'This site has been deleted.');
    const isThere = state.status === 'live' && state.deploys.some((deploy) => deploy.deployId === deployId);
    return isThere ? { unchanged: isUnchanged(state, deployId) } : null;
  }

  /**
   * Stores the provenance, then makes the deploy live. Idempotent. Throws `RightEndedError` if the job can no longer
   * deploy the site. Refuses with `site_expired`.
   */
  async publish(
    { siteId, content: stored, provenance, ...made }: JobDeploy,
    right: JobRight,
    context: ActorContext,
  ): Promise<PublishedDeploy> {
    const { manifest, files, bytes } = stored;
    const program = stored.program === null ? null : { kind: stored.program };
    const { sha256 } = await storeBytes(this.blobs, provenance);
    const content = {
      ...{ ...made, manifest, files, bytes, program },
      ...{ source: 'repo' as const, message: null, client: null, provenance: sha256 },
    };
    const { state } = await this.directory.stateOf(siteId);
    const isByTokenOfSite = isSiteToken(state, right);
    const renewedExpiry = after(context.at, this.anonymousExpiry.seconds);
    const command = new PublishSiteJob({ context, siteId, content, right, isByTokenOfSite, renewedExpiry });
    const isUnclaimed = state.status === 'live' && state.editTokenHash !== null;
    const counted = { siteId, deployId: made.deployId, manifest: program === null ? manifest : null, bytes };
    const deploy = isUnclaimed ? { ...counted, share: await this.shares.shareOf(siteId) } : null;
    // Check last whether the job's token or grant was revoked, because the site's events do not record that.
    const revoked = await this.revoked.whyRevoked(right);
    if (revoked !== null) throw new RightEndedError(revoked);
    const site = live(await this.anonymousContent.publish(deploy, () => this.commands.execute(command)));
    return { unchanged: isUnchanged(site, made.deployId) };
  }
}

const countPublished = (paths: readonly (string | null)[]) =>
  paths.filter((path) => path !== null && !isBlocked(path)).length;

const live = ({ state }: { readonly state: Site }) => (state.status === 'live' ? state : refuse('site_expired'));
