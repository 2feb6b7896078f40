import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import type { Repository } from 'typeorm';
import type { ServerKind } from '../../../events/site/deploy-server.js';
import { isId } from '../../../kernel/ids.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { computeModifiedTime } from '../../../projections/models/site.projection.js';
import { ServingIndex } from './serving-index.js';

const REMEMBERED = 10_000;

/** An earlier deploy, as shown at its own URL. */
export type Preview = {
  readonly siteId: string;
  /** Digest of the deploy's manifest or server. */
  readonly manifest: string;
  /** Kind of the deploy's server, or null for a deploy of files. */
  readonly program: ServerKind | null;
  /** Creation time of the deploy in milliseconds since 1970, rounded to a whole second. */
  readonly modifiedAt: number;
};

/** Finds earlier deploys by ID. Deploys never change, so the 10,000 most recently visited ones are cached. */
@Injectable()
export class PreviewCache {
  readonly #known = new LRUCache<string, Preview>({ max: REMEMBERED });

  constructor(
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    private readonly readModels: ReadModelWaiter,
    private readonly index: ServingIndex,
  ) {}

  async find(deployId: string): Promise<Preview | null> {
    if (!isId('dep', deployId)) return null;
    const known = this.#known.get(deployId);
    if (known) return known;

    await this.readModels.reached(this.index.position);
    const row = await this.deploys.findOneBy({ deployId });
    if (!row) return null;
    const preview = {
      siteId: row.siteId,
      manifest: row.manifest,
      program: row.program,
      modifiedAt: computeModifiedTime(null, row.createdAt.getTime()),
    };
    this.#known.set(deployId, preview);
    return preview;
  }
}
