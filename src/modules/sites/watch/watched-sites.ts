import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { siteStream } from '../../../events/site.events.js';
import type { Who } from '../../../kernel/caller.js';
import { ReadModels } from '../../../kernel/read-models.js';
import { Written } from '../../../kernel/written.js';
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
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(Written) private readonly written: Written,
  ) {}

  onModuleInit() {
    this.live.names.offer('site', async (slug, who) => {
      // As the routes do (`ReadYourWrites`): a site is found as soon as this process has answered that it is there.
      await this.readModels.reached(this.written.position);
      return this.of(slug, who);
    });
  }

  /** Refuses as the history does. */
  async of(slug: string, who: Who): Promise<Watched> {
    const caller = await who();
    const { siteId } = await this.reader.getFor(slug, caller);
    return {
      stream: siteStream(siteId),
      finalTypes: NONE,
      frameOf: (event) => ({ event: event.type, data: entryOf(event) }),
      mayWatch: async () => void (await this.reader.getFor(slug, await who())),
      session: caller.userId ?? caller.editTokenHash,
    };
  }
}
