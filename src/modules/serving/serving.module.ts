import { Module } from '@nestjs/common';
import { LiveSessions } from './access/live-sessions.js';
import { SiteDoor } from './access/site-door.js';
import { visit } from './access/visit.js';
import { Visitors } from './access/visitors.js';
import { Contents } from './contents.js';
import { FileAnswers } from './file-answers.js';
import { FileSender } from './file-sender.js';
import { FolderPages } from './folder-pages.js';
import { KnownAnswers } from './known-answers.js';
import { Lasting } from './lasting.js';
import { Manifests } from './manifests.js';
import { Previews } from './previews.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { ServingIndex } from './serving-index.js';
import { ShownSites } from './shown-sites.js';
import { SiteServer } from './site-server.js';

/** Shows published sites to visitors, in front of the framework. Its one route sends members on to a site of theirs. */
@Module({
  controllers: [...visit.routes],
  providers: [
    Contents,
    FileAnswers,
    FileSender,
    FolderPages,
    KnownAnswers,
    Lasting,
    LiveSessions,
    Manifests,
    Previews,
    RulesOfSites,
    ServingIndex,
    ShownSites,
    SiteDoor,
    SiteServer,
    Visitors,
  ],
  exports: [ServingIndex, SiteServer],
})
export class ServingModule {}
