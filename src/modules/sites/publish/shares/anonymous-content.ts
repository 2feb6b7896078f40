import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ShareUse } from '../../../../accounts/shares/share-use.js';
import { UnclaimedContent, type UnclaimedUse } from '../../../../accounts/shares/unclaimed-content.js';
import { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { type Share, shareKey } from '../../../../kernel/shares/share.js';
import { pollLoop } from '../../../../nest/poll-loop.js';
import { DeployRow } from '../../../../projections/models/deploy.projection.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { StorageShares } from '../../../../settings/deploy-settings.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../../storage/blobs/manifest.js';
import { OwnedContent } from '../../site/owned-content.js';

const releasing = new BackgroundTask('release_unclaimed_content');

const RECONCILE_EVERY_MS = 600_000;

/**
 * Before a deploy is refused for lack of space, the counted content is reconciled with the existing sites, but at most
 * once in this interval. Sites that were claimed or deleted no longer count.
 */
const RECONCILE_AGAIN_MS = 5_000;

/** A deploy of a site without an owner; its content is stored but not published yet. */
export type AnonymousDeploy = {
  readonly siteId: string;
  readonly deployId: string;
  readonly share: Share;
  /** Digest of the manifest of the files. Null for a server deploy, all of whose bytes are counted. */
  readonly manifest: string | null;
  readonly bytes: number;
};

/**
 * Limits the total content of sites without an owner, and the part that one network can use. A network can never use
 * more space than it leaves for all others, so there is always room for the first site of another network.
 */
@Injectable()
export class AnonymousContent {
  readonly #limit: number | null;
  #reconciledAt = Number.NEGATIVE_INFINITY;

  constructor(
    { anonymousTotalBytes }: StorageShares,
    private readonly content: UnclaimedContent,
    private readonly shares: ShareUse,
    private readonly owned: OwnedContent,
    private readonly blobs: BlobStore,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
  ) {
    this.#limit = anonymousTotalBytes;
  }

  start(signal: AbortSignal) {
    if (this.#limit === null) return;
    void pollLoop({ name: 'reconcile_unclaimed_content', everyMs: RECONCILE_EVERY_MS, signal }, async () => {
      await this.#reconcile();
      return false;
    });
  }

  /** Refuses with `quota_exceeded`, before a body is read, if no room is left. */
  async assertRoom(share: Share): Promise<void> {
    const limit = this.#limit;
    if (limit === null) return;
    const hash = this.shares.hashOf(shareKey(share));
    const read = async () => {
      const use = await this.content.use(hash);
      return { use, isFine: isWithin(limit, use, 1) };
    };
    const first = await read();
    if (first.isFine) return;
    const { use, isFine } = (await this.#reconcileAgain()) ? await read() : first;
    if (!isFine) refuseContent(limit, use, 1);
  }

  /**
   * Counts the content of the deploy towards the limit for sites without an owner, then calls `work`, which publishes
   * it. Refuses with `quota_exceeded` before publishing. Counts nothing if `deploy` is null.
   */
  async publish<Done>(deploy: AnonymousDeploy | null, work: () => Promise<Done>): Promise<Done> {
    const limit = this.#limit;
    if (limit === null || deploy === null) return work();
    await this.#reserve(deploy, limit);
    try {
      return await work();
    } catch (error) {
      // If the content can't be released now, the next reconciliation releases it.
      await releasing.run(() => this.content.release(deploy.deployId));
      throw error;
    }
  }

  async #reserve({ siteId, deployId, share, manifest, bytes: all }: AnonymousDeploy, limit: number): Promise<void> {
    const bytes = manifest === null ? all : await this.#newBytes(siteId, manifest);
    const row = { siteId, deployId, share: this.shares.hashOf(shareKey(share)), bytes };
    const reserve = () => this.content.reserve(row, (use) => isWithin(limit, use, bytes));
    const first = await reserve();
    if (first.isReserved) return;
    const again = (await this.#reconcileAgain()) ? await reserve() : first;
    if (!again.isReserved) refuseContent(limit, again, bytes);
  }

  /** Returns the size in bytes of the deploy's content that is not in the site's latest deploys. */
  async #newBytes(siteId: string, manifest: string): Promise<number> {
    const { files } = decodeManifest(manifest, await this.blobs.read(manifest));
    const sizes = new Map([...files.values()].map(({ sha256, size }) => [sha256, size]));
    const owned = await this.owned.inLatest(siteId, sizes.keys());
    for (const sha256 of owned) sizes.delete(sha256);
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  async #reconcileAgain(): Promise<boolean> {
    if (performance.now() - this.#reconciledAt < RECONCILE_AGAIN_MS) return false;
    await this.#reconcile();
    return true;
  }

  async #reconcile(): Promise<void> {
    this.#reconciledAt = performance.now();
    await this.content.reconcile({
      sites: this.sites.metadata.tableName,
      deploys: this.deploys.metadata.tableName,
    });
  }
}

const isWithin = (limit: number, { total, own }: UnclaimedUse, bytes: number) => own + bytes <= limit - (total + bytes);

function refuseContent(limit: number, { total }: UnclaimedUse, bytes: number): never {
  const detail =
    total + bytes > limit
      ? `Sites without an owner use ${formatBytes(total)} of the ${formatBytes(limit)} that this service allows for them.`
      : 'Sites without an owner that were created from your network already use all of the space that one network can use.';
  return refuse('quota_exceeded', detail, [], {
    suggestion: 'Sign in to publish, or claim or delete sites that you created.',
  });
}
