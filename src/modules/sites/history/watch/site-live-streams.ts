import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LiveStream } from '../../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../../edge/live/live-streams.js';
import { selectTypes } from '../../../../events/event-type.js';
import { siteEvents, siteStream } from '../../../../events/site/site.events.js';
import { FORMER } from '../../../../events/summary-words.js';
import type { Caller, IdentifyCaller } from '../../../../kernel/command-context.js';
import type { Recorded } from '../../../../kernel/event-store.js';
import { ReadModelWaiter } from '../../../../kernel/ports/read-models.js';
import { WritePosition } from '../../../../kernel/positions/write-position.js';
import { refuse } from '../../../../kernel/refusal.js';
import { ActorNames } from '../../api/actor-names.js';
import { assertCanRead, findRole } from '../../site/assert-access.rule.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteReader } from '../../site/site-reader.js';
import { toHistoryEntry } from '../entry.js';
import { listNamed, withNames } from '../named-entry.js';

const finalTypes = selectTypes(siteEvents, 'endsStream');
const leavingTypes = selectTypes(siteEvents, 'removesPerson');
const rightsTypes = selectTypes(siteEvents, 'changesRights');

/** Live event streams of sites. Watching requires the same access as reading the site's history. */
@Injectable()
export class SiteLiveStreams implements OnModuleInit {
  constructor(
    private readonly reader: SiteReader,
    private readonly directory: SiteDirectory,
    private readonly live: LiveStreamServer,
    private readonly readModels: ReadModelWaiter,
    private readonly writePosition: WritePosition,
    private readonly names: ActorNames,
  ) {}

  onModuleInit() {
    this.live.resolver.offer('site', async (slug, who) => {
      // Wait until the read models include all writes that this process has reported, so that a site that was just
      // created is found. HTTP routes do the same (`ReadYourWrites`).
      await this.readModels.reached(this.writePosition.position);
      return this.of(slug, who);
    });
  }

  /**
   * Returns the live stream of a site. Refuses callers for the same reasons as the route that returns the site's
   * history.
   */
  async of(slug: string, identify: IdentifyCaller): Promise<LiveStream> {
    const caller = await identify();
    const { siteId } = await this.reader.getFor(slug, caller);
    const seesAddresses = await this.#assertCanStay(siteId, caller);
    return {
      stream: siteStream(siteId),
      finalTypes,
      view: seesAddresses ? 'with addresses' : 'with names',
      prepare: (events) => this.#named(siteId, events, seesAddresses),
      frameOf: (event) => ({ event: event.type, data: toHistoryEntry(event) }),
      outdates: leavingTypes,
      rightsTypes,
      assertCanWatch: async () => {
        const stillSees = await this.#assertCanStay(siteId, await identify());
        if (seesAddresses && !stillSees)
          refuse('forbidden', 'You are no longer an owner of this site. Reconnect to continue with fewer details.');
      },
      session: caller.userId ?? caller.editTokenHash,
    };
  }

  /**
   * Adds names to events, as the history route does. However, all watchers with the same rights see the same names, so
   * nobody sees their own address. A member who leaves might be about to be erased, so they are shown as a former
   * member immediately.
   */
  async #named(siteId: string, events: readonly Recorded[], seesAddresses: boolean): Promise<LiveStream['frameOf']> {
    const entries = new Map(events.map((event) => [event.id, toHistoryEntry(event)]));
    const names = await this.names.for({ seesAddresses, self: null, siteId }, [...entries.values()].flatMap(listNamed));
    return (event) => {
      const entry = withNames(entries.get(event.id) ?? toHistoryEntry(event), names);
      const { actor, data } = entry;
      const leaves = leavingTypes.has(event.type) && actor.id !== undefined && actor.id === data.userId;
      return { event: event.type, data: leaves ? { ...entry, actor: { ...actor, name: FORMER } } : entry };
    };
  }

  /**
   * Refuses a caller who can no longer read the site. Returns whether the caller sees addresses. Reads the log, because
   * read models may lag behind.
   */
  async #assertCanStay(siteId: string, caller: Caller): Promise<boolean> {
    const { state } = await this.directory.stateOf(siteId);
    return findRole(assertCanRead(state, { caller, at: new Date().toISOString() }), caller) === 'owner';
  }
}
