import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteAccessSet, SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteExpired, SiteTakenDown, siteStream } from '../../../events/site/site.events.js';
import type { Caller, IdentifyCaller } from '../../../kernel/command-context.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { WritePosition } from '../../../kernel/positions/write-position.js';
import type { LiveStream } from '../../../live/live-stream.js';
import { LiveStreams } from '../../../live/live-streams.js';
import { entryOf } from '../history/entry.js';
import { mayRead } from '../site/may-edit.decide.js';
import { SiteDirectory } from '../site/site-directory.js';
import { SiteReader } from '../site/site-reader.js';

/** Nothing follows, for anybody. */
const finalTypes: ReadonlySet<string> = new Set([SiteDeleted.type]);

/** What may end a watcher’s right to watch. */
const rightsTypes: ReadonlySet<string> = new Set(
  [SiteClaimed, MemberRemoved, MemberRoleChanged, SiteAccessSet, SiteTakenDown, SiteExpired].map(({ type }) => type),
);

/** Sites as clients watch them. Who may read a site’s history may watch it. */
@Injectable()
export class SiteLiveStreams implements OnModuleInit {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(LiveStreams) private readonly live: LiveStreams,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
  ) {}

  onModuleInit() {
    this.live.resolver.offer('site', async (slug, who) => {
      // As the routes do (`ReadYourWrites`): a site is found as soon as this process has answered that it is there.
      await this.readModels.reached(this.writePosition.position);
      return this.of(slug, who);
    });
  }

  /** Refuses as the history does. */
  async of(slug: string, identify: IdentifyCaller): Promise<LiveStream> {
    const caller = await identify();
    const { siteId } = await this.reader.getFor(slug, caller);
    return {
      stream: siteStream(siteId),
      finalTypes,
      frameOf: (event) => ({ event: event.type, data: entryOf(event) }),
      rightsTypes,
      mayWatch: async () => this.#mayStay(siteId, await identify()),
      session: caller.userId ?? caller.editTokenHash,
    };
  }
  /** By the log itself: read models may not have heard yet of what ended the right. */
  async #mayStay(siteId: string, caller: Caller): Promise<void> {
    const { state } = await this.directory.stateOf(siteId);
    mayRead(state, { caller, at: new Date().toISOString() });
  }
}
