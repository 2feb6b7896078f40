import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { readSiteId } from '../../../../events/site/site.events.js';
import { EventStore } from '../../../../kernel/event-store.js';
import { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../../kernel/faults/ignored-fault.js';
import { ReadModelWaiter } from '../../../../kernel/ports/read-models.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { RESERVED_SECONDS, SiteDirectory } from '../../site/site-directory.js';
import { listSlugs } from '../../site/site-slugs.js';
import { after } from '../deploy/deploy-schemas.js';

const AGAIN_AFTER_MS = 1_000;
const PAGE = 200;

const reserving = new BackgroundTask('reserve_slugs_of_deleted_sites');

/**
 * Records how long the slugs of deleted sites stay reserved. Starts with earlier deletions, because a process may have
 * exited after writing to the site's stream, but before writing to the streams of its slugs. Then follows the log.
 * Requests need not wait: a slug that is still held by a deleted site is unavailable for the same period. Several
 * processes can run this concurrently.
 */
@Injectable()
export class SlugReservations {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    private readonly store: EventStore,
    private readonly readModels: ReadModelWaiter,
    private readonly directory: SiteDirectory,
  ) {}

  start(signal: AbortSignal) {
    void this.#run(signal);
  }

  async #run(signal: AbortSignal) {
    const position = await this.#insist(signal, () => this.#finishEarlier());
    if (position === undefined) return;
    for await (const batch of this.store.follow(position, signal)) {
      for (const { type, stream, at } of batch) {
        if (type === SiteDeleted.type) await this.#insist(signal, () => this.#reserve(readSiteId(stream), at));
      }
    }
  }

  /** Reserves slugs of sites that were deleted earlier. Returns the log position to continue from. */
  async #finishEarlier(): Promise<bigint> {
    const position = await this.store.lastPosition();
    if ((await this.readModels.reached(position)) < position)
      throw new Error('The read models have not caught up with the event log.');
    const since = new Date(Date.now() - RESERVED_SECONDS * 1_000);
    for (let last = ''; ; ) {
      const rows = await this.sites.find({
        where: { status: 'deleted', updatedAt: MoreThan(since), siteId: MoreThan(last) },
        order: { siteId: 'asc' },
        take: PAGE,
      });
      for (const { siteId, updatedAt } of rows) await this.#reserve(siteId, updatedAt.toISOString());
      const next = rows.at(-1);
      if (!next) return position;
      last = next.siteId;
    }
  }

  /** Reserves all slugs of the site. Idempotent. */
  async #reserve(siteId: string, deletedAt: string) {
    const { state } = await this.directory.stateOf(siteId);
    const until = after(deletedAt, RESERVED_SECONDS);
    for (const slug of listSlugs(state)) await this.directory.reserve(slug, siteId, new Date().toISOString(), until);
  }

  async #insist<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        const done = await work();
        reserving.succeeded();
        return done;
      } catch (error) {
        if (!signal.aborted) reserving.failed(error);
      }
      await delay(AGAIN_AFTER_MS, undefined, { signal, ref: false }).catch(waitEnded);
    }
    return undefined;
  }
}
