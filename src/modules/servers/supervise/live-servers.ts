import { Injectable } from '@nestjs/common';
import { selectTypes } from '../../../events/event-type.js';
import { movesLive, readSiteId, type SiteEvent, siteEvents } from '../../../events/site/site.events.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { ServerLeases } from '../api/server-leases.js';
import { Supervisor } from './supervisor.js';

const stops = selectTypes(siteEvents, 'stopsServing');
const ends = selectTypes(siteEvents, 'endsSite');

const following = new BackgroundTask('follow_live_programs');

/** Starts the server of a new live deploy before a visitor requests it, and stops servers that are no longer live. */
@Injectable()
export class LiveServers {
  #going: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly supervisor: Supervisor,
    private readonly leases: ServerLeases,
  ) {}

  async start(signal: AbortSignal): Promise<void> {
    this.#going = following.run(async () => this.#follow(await this.store.lastPosition(), signal));
  }

  async stopped(): Promise<void> {
    await this.#going;
  }

  async #follow(from: bigint, signal: AbortSignal): Promise<void> {
    for await (const batch of this.store.follow(from, signal)) {
      for (const event of batch) if (event.stream.startsWith('site-')) void following.run(() => this.#take(event));
    }
  }

  async #take(event: Recorded): Promise<void> {
    const siteId = readSiteId(event.stream);
    const change = event as Recorded & SiteEvent;
    if (stops.has(change.type)) {
      await this.supervisor.end(siteId);
      if (ends.has(change.type)) await this.leases.forgetSite(siteId);
      return;
    }
    if (!movesLive(change)) return;
    const { deployId, manifest, program, replaced } = change.data;
    const slug = await this.#slugOf(siteId, event.stream, program !== null);
    const served = program && { siteId, slug, deployId, digest: manifest, kind: program.kind };
    await this.supervisor.replace(siteId, replaced, served);
  }

  /** Returns the site's first slug, which is sufficient for health checks and lists. */
  async #slugOf(siteId: string, stream: string, isNeeded: boolean): Promise<string> {
    if (!isNeeded) return siteId;
    const [first] = await this.store.page(stream, 0, 1);
    const { data } = (first ?? { data: {} }) as { readonly data: { readonly slug?: string } };
    return data.slug ?? siteId;
  }
}
