import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isId } from '../../../kernel/ids.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { modifiedAfter } from '../../../projections/models/site.projection.js';
import { ServingIndex } from './serving-index.js';

export type Preview = {
  readonly siteId: string;
  readonly manifest: string;
  /** Since when it is there; it never changed. Milliseconds since 1970, whole seconds. */
  readonly modifiedAt: number;
};

/** Past deploys by id. They never change, so those that were looked at are remembered. */
@Injectable()
export class Previews {
  readonly #known = new Map<string, Preview>();

  constructor(
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(ServingIndex) private readonly index: ServingIndex,
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
      modifiedAt: modifiedAfter(null, row.createdAt.getTime()),
    };
    if (this.#known.size >= 10_000) this.#known.clear();
    this.#known.set(deployId, preview);
    return preview;
  }
}
