import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { EventStore } from '../../../../kernel/event-store.js';
import { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../../kernel/faults/ignored-fault.js';
import { formatBytes, plural } from '../../../../kernel/output/quantities.js';
import { DeployRow } from '../../../../projections/models/deploy.projection.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { Checkpoints } from '../../../../projections/projector/checkpoints.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../../storage/blobs/manifest.js';
import { PendingUploadStore } from '../pending-upload/pending-uploads.js';

const EVERY_MS = 3_600_000;
const PAGE = 200;

const collecting = new BackgroundTask('collect_content');

/** Deletes unreferenced content once an hour. Every process tries; the store lets only one run at a time. */
@Injectable()
export class Collection {
  readonly #log = new Logger('Collection');

  constructor(
    private readonly blobs: BlobStore,
    private readonly store: EventStore,
    private readonly checkpoints: Checkpoints,
    private readonly held: PendingUploadStore,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
  ) {}

  start(signal: AbortSignal) {
    void this.#everyHour(signal);
  }

  /**
   * Deletes unreferenced content. Throws without deleting anything if the read model of deploys lags behind the log.
   */
  async collect() {
    const end = await this.store.lastPosition();
    await this.checkpoints.reached(end);
    if ((await this.checkpoints.readLowest()) < end)
      throw new Error('The read models have not caught up with the event log.');
    return this.blobs.collect(this.#named());
  }

  async #everyHour(signal: AbortSignal) {
    while (!signal.aborted) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
      if (signal.aborted) return;
      await collecting.run(async () => {
        const { blobs, moved, freed } = await this.collect();
        if (blobs > 0 || freed > 0)
          this.#log.log(
            `Removed ${plural(blobs, 'unused blob')}, moved ${formatBytes(moved)}, freed ${formatBytes(freed)}`,
          );
      });
    }
  }

  /**
   * Yields the digests of all content that must be kept: the manifest, files and provenance statement of every deploy
   * whose site still exists. Deploys made during the run are safe because their content was touched within the last
   * day.
   */
  async *#named(): AsyncIterable<readonly string[]> {
    // Include the content of pending uploads. It was stored within the last day, but listing it protects it
    // independently of that period.
    yield* this.held.named();
    let after = '';
    for (;;) {
      const page = await this.deploys
        .createQueryBuilder('deploy')
        .select(['deploy.deployId', 'deploy.manifest', 'deploy.program', 'deploy.provenance'])
        .where('deploy.deployId > :after', { after })
        .andWhere((query) => {
          const gone = query.subQuery().select('1').from(SiteRow, 'site').where('site.siteId = deploy.siteId');
          return `not exists ${gone.andWhere("site.status in ('expired', 'deleted')").getQuery()}`;
        })
        .orderBy('deploy.deployId')
        .limit(PAGE)
        .getMany();
      for (const { manifest, program, provenance } of page) {
        yield provenance === null ? [manifest] : [manifest, provenance];
        if (program !== null) continue;
        const { files } = decodeManifest(manifest, await this.blobs.read(manifest));
        yield [...files.values()].map(({ sha256 }) => sha256);
      }
      const last = page.at(-1);
      if (!last) return;
      after = last.deployId;
    }
  }
}
