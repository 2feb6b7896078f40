import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { UploadedEntry } from '../../../../content/uploads/bodies/body-chunks.js';
import { deployBody } from '../../../../content/uploads/bodies/deploy-body.js';
import type { Meter } from '../../../../content/uploads/metered-intake.js';
import { SpoolFolder } from '../../../../content/uploads/spool/spool-folder.js';
import {
  type StoredUpload,
  storeUpload,
  storeUploadAgain,
  type UploadContext,
  wholeSite,
} from '../../../../content/uploads/store-upload.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { DiskSpace } from '../../../../kernel/ports/outside/disk-space.js';
import { refuse } from '../../../../kernel/refusal.js';
import { addWork } from '../../../../kernel/work-done.js';
import { LimitsOfDeploys } from '../../../../settings/deploy-settings.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../../storage/blobs/manifest.js';
import { OwnedContent } from '../../site/owned-content.js';
import type { FoundSite } from '../../site/site-directory.js';
import type { Site } from '../../site/state/site.state.js';
import { PendingUploadStore } from '../pending-upload/pending-uploads.js';
import { listUploadHolders } from '../pending-upload/upload-holders.js';

/** Approximate size of a file's entry in a manifest: its digest, size and path. */
const BYTES_OF_A_FILE = 100;

/** Stores the body of a deploy as durable content that is not live yet. */
@Injectable()
export class UploadReceiver {
  constructor(
    private readonly blobs: BlobStore,
    private readonly owned: OwnedContent,
    private readonly held: PendingUploadStore,
    private readonly limits: LimitsOfDeploys,
    private readonly spoolFolder: SpoolFolder,
    private readonly space: DiskSpace,
  ) {}

  /** Stores the complete content of a new site, or new content that replaces all files of a site. */
  receive(request: FastifyRequest, caller: Caller, site: FoundSite | null, meter: Meter): Promise<StoredUpload> {
    return this.#store(request, caller, site, { isWhole: true, base: null, meter });
  }

  receivePage(html: string, { userId }: Caller, meter: Meter = unmetered): Promise<StoredUpload> {
    return storeUpload(this.blobs, onePage(html), this.limits.of(userId), { ...wholeSite, meter });
  }

  /** Stores changed files, merged with the site's live files if there are any. */
  async receiveChanges(
    request: FastifyRequest,
    caller: Caller,
    site: FoundSite | null,
    meter: Meter,
  ): Promise<StoredUpload> {
    const base = site && (await this.#liveFiles(site.state));
    addWork(request.raw, BYTES_OF_A_FILE * (base?.files.size ?? 0));
    return this.#store(request, caller, site, { isWhole: false, base, meter });
  }

  /**
   * Merges stored changes with the live files again, because another deploy was published in the meantime. Does not
   * need the request body again.
   */
  async layOverAgain(changes: StoredUpload, caller: Caller, state: Site): Promise<StoredUpload> {
    const base = await this.#liveFiles(state);
    return base ? storeUploadAgain(this.blobs, changes, this.limits.of(caller.userId), base) : changes;
  }

  async #store(
    request: FastifyRequest,
    caller: Caller,
    site: FoundSite | null,
    kind: Pick<UploadContext, 'isWhole' | 'base' | 'meter'>,
  ) {
    const { raw } = request;
    // Check for free space before the body is read, because the body may be spooled to a file before any of it is
    // stored.
    await this.space.assertRoom();
    const limits = this.limits.of(caller.userId);
    return storeUpload(this.blobs, deployBody(raw, limits, this.spoolFolder.path), limits, {
      ...kind,
      owned: async (digests) => {
        const held = await this.held.of(listUploadHolders(request, caller, site), digests);
        const others = new Set(digests).difference(new Set(held));
        const owned = site ? await this.owned.of(site.siteId, others, raw) : [];
        return new Map([...(await this.blobs.touch(held)), ...owned]);
      },
    });
  }

  async #liveFiles(state: Site): Promise<Manifest | null> {
    const live = state.status === 'live' ? state.live : null;
    if (live && live.program !== null) refuseToMerge();
    return live && decodeManifest(live.manifest, await this.blobs.read(live.manifest));
  }
}

/** A meter that counts nothing, for content that the service publishes to test itself. */
const unmetered: Meter = async () => undefined;

const refuseToMerge = () =>
  refuse('invalid_request', 'The live deploy runs a server, so it has no files to merge into. Send the whole site.', [
    { path: 'mode', message: 'must not be "merge", because the live deploy runs a server' },
  ]);

async function* onePage(html: string): AsyncGenerator<UploadedEntry> {
  yield { path: 'index.html', field: 'html', content: Buffer.from(html) };
}
