import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../blobs/manifest.js';
import { isId } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';

/** Finds the deploys of a site in the read model, and the files that each is made of. */
@Injectable()
export class DeployReader {
  constructor(
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  /** Refuses with `deploy_not_found`, for another site’s deploy too. */
  async get(siteId: string, deployId: string): Promise<DeployRow> {
    const row = isId('dep', deployId) ? await this.deploys.findOneBy({ deployId, siteId }) : null;
    return row ?? refuse('deploy_not_found', `This site has no deploy “${deployId.slice(0, 60)}”.`);
  }

  /** The files, sorted by the bytes of their paths. */
  async manifestOf({ manifest }: DeployRow): Promise<Manifest> {
    return decodeManifest(manifest, await this.blobs.read(manifest));
  }

  /** The manifest as it is stored, for `filesIn`: of a deploy of 20,000 files it is two megabytes, or twenty. */
  storedManifestOf({ manifest }: DeployRow): Promise<Buffer> {
    return this.blobs.read(manifest);
  }
}
