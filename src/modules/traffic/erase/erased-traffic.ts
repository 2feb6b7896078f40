import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { selectTypes } from '../../../events/event-type.js';
import { readSiteId, siteEvents } from '../../../events/site/site.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { EventEngine } from '../../../settings/settings.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { TrafficRollUps } from '../roll-up/tables/traffic-roll-ups.js';
import type { TrafficTraces } from './traffic-traces.js';

const SWEEP_EVERY_MS = 3_600_000;
const AGAIN_AFTER_MS = 5_000;
/** Interval at which the position in the event log is stored even if no site was deleted. */
const REMEMBER_EVERY_MS = 60_000;

const over = selectTypes(siteEvents, 'endsSite');

/**
 * Erases the traffic of deleted sites. Follows the event log from the last stored position. Once an hour, looks for
 * traffic that was written after a site was deleted. Several processes can run this concurrently.
 */
@Injectable()
export class ErasedTraffic {
  readonly #following = new BackgroundTask('erase_traffic_of_deleted_sites');
  readonly #traces: TrafficTraces;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    { traces }: TrafficRollUps,
    private readonly store: EventStore,
    private readonly engine: EventEngine,
    @Inject(SiteAccess) private readonly sites: Pick<SiteAccess, 'find'>,
    @InjectRepository(SiteRow) private readonly rows: Pick<Repository<SiteRow>, 'existsBy'>,
  ) {
    this.#traces = traces;
  }

  start(signal: AbortSignal) {
    const sweeping = { name: 'sweep_traffic', everyMs: SWEEP_EVERY_MS, signal };
    this.#running = Promise.all([this.#followAgain(signal), pollLoop(sweeping, () => this.sweep(signal))]);
  }

  async stopped() {
    await this.#running;
  }

  /**
   * Erases the traffic of all sites that no longer exist. Always returns false, so that the poll loop waits for its
   * interval.
   */
  async sweep(signal: AbortSignal): Promise<false> {
    for (let siteId = await this.#traces.nextSite(''); siteId !== null && !signal.aborted; ) {
      // If the read model does not contain the site, check the event log, which is always up to date.
      const isLive = (await this.rows.existsBy({ siteId, status: 'live' })) || (await this.sites.find(siteId)) !== null;
      if (!isLive) await this.#traces.erase(siteId);
      siteId = await this.#traces.nextSite(siteId);
    }
    return false;
  }

  async #followAgain(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#following.failed(error);
        await delay(AGAIN_AFTER_MS, undefined, { signal, ref: false }).catch(waitEnded);
      }
    }
  }

  async #follow(signal: AbortSignal) {
    const { name } = this.engine;
    const last = await this.store.lastPosition();
    const known = await this.#traces.position(name);
    // If the event log was restored from a backup, it may end before the stored position. In that case, `sweep` finds
    // the sites whose deletion was missed.
    const from = known === null || known > last ? last : known;
    let remembered = performance.now();
    for await (const batch of this.store.follow(from, signal)) {
      const gone = batch.filter(({ type }) => over.has(type));
      for (const { stream } of gone) await this.#traces.erase(readSiteId(stream));
      this.#following.succeeded();
      const position = batch.at(-1)?.position;
      if (position === undefined || (gone.length === 0 && performance.now() - remembered < REMEMBER_EVERY_MS)) continue;
      await this.#traces.reached(name, position);
      remembered = performance.now();
    }
  }
}
