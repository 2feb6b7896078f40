import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isId } from '../../../kernel/ids.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../storage/blobs/manifest.js';
import { parseDeployNumber } from './deploy-number.js';

const unknownDeploy = (deployId: string) => refuse('deploy_not_found', `This site has no deploy ${quoteId(deployId)}.`);

/** Finds a site's deploys in the read model, and the files of each deploy. A server deploy has no files. */
@Injectable()
export class DeployReader {
  constructor(
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    private readonly blobs: BlobStore,
  ) {}

  /** Finds a deploy by ID or number. Refuses with `deploy_not_found`, also for a deploy of another site. */
  async get(siteId: string, deployId: string): Promise<DeployRow> {
    const number = parseDeployNumber(deployId);
    if (number === null && !isId('dep', deployId)) return unknownDeploy(deployId);
    const row = await this.deploys.findOneBy(number === null ? { deployId, siteId } : { number, siteId });
    return row ?? unknownDeploy(deployId);
  }

  /** Returns a deploy of files. Refuses like `get`, and with `not_found` for a deploy that runs a server. */
  async getFiles(siteId: string, deployId: string): Promise<DeployRow> {
    const row = await this.get(siteId, deployId);
    return row.program === null ? row : refuse('not_found', 'This deploy runs a server, so it has no files.');
  }

  /** Returns the files of a deploy, sorted by path in byte order. */
  async manifestOf({ manifest, program }: DeployRow): Promise<Manifest> {
    if (program !== null) return { digest: manifest, bytes: 0, files: new Map() };
    return decodeManifest(manifest, await this.blobs.read(manifest));
  }

  /** Returns the stored manifest, to be parsed by `parseManifestFiles`. With 20,000 files it has 2 to 20 MB. */
  async storedManifestOf({ manifest, program }: DeployRow): Promise<Buffer> {
    return program === null ? this.blobs.read(manifest) : Buffer.alloc(0);
  }
}
