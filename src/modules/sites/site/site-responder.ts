import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { siteStream } from '../../../events/site/site.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Folded } from '../../../kernel/snapshots.js';
import { toSiteResponse } from '../read/show-site/show-site.js';
import { ServerStatusReader } from '../settings/servers/shown-server.js';
import type { Site } from './state/site.state.js';

/** Describes a site in the response to a write. Reads the log, so that the response need not wait for a read model. */
@Injectable()
export class SiteResponder {
  constructor(
    private readonly store: EventStore,
    private readonly urls: ServiceUrls,
    private readonly servers: ServerStatusReader,
  ) {}

  async of(siteId: string, { state, head }: Folded<Site>) {
    const stream = siteStream(siteId);
    const [[first], [last]] = await Promise.all([
      this.store.page(stream, 0, 1),
      this.store.page(stream, head.revision - 1, 1),
    ]);
    if (state.status !== 'live' || !first || !last) return refuse('site_not_found');
    const { live, expiresAt, capabilities, ...rest } = state;
    const deployId = live?.deployId ?? null;
    const updatedAt = new Date(last.at);
    const server = await this.servers.of({ deployId, isProgram: live?.program != null, updatedAt });
    return toSiteResponse(
      {
        ...rest,
        siteId,
        deployId,
        program: live?.program?.kind ?? null,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
        capabilities: canonical(capabilities),
        createdAt: new Date(first.at),
        updatedAt,
        revision: head.revision,
      },
      this.urls,
      server,
    );
  }
}
