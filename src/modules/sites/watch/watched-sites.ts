import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { siteStream } from '../../../events/site.events.js';
import type { Caller } from '../../../kernel/caller.js';
import { LiveStreams } from '../../../live/live-streams.js';
import type { Watched } from '../../../live/watched.js';
import { entryOf } from '../history/entry.js';
import { SiteReader } from '../site-reader.js';

/** A site has no last event: whoever may watch it stays. */
const NONE: ReadonlySet<string> = new Set();

/** Sites as clients watch them. Who may read a site’s history may watch it. */
@Injectable()
export class WatchedSites implements OnModuleInit {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(LiveStreams) private readonly live: LiveStreams,
  ) {}

  onModuleInit() {
    this.live.names.offer('site', (slug, caller) => this.of(slug, caller));
  }

  /** Refuses as the history does. */
  async of(slug: string, caller: Caller): Promise<Watched> {
    const { siteId } = await this.reader.getFor(slug, caller);
    return {
      stream: siteStream(siteId),
      finalTypes: NONE,
      frameOf: (event) => ({ event: event.type, data: entryOf(event) }),
      mayWatch: async () => void (await this.reader.getFor(slug, caller)),
      session: caller.editTokenHash,
    };
  }
}
