import { Module } from '@nestjs/common';
import { LiveSessions } from './access/live-sessions.js';
import { SiteDoor } from './access/site-access-gate.js';
import { visit } from './access/visit.js';
import { Visitors } from './access/visitors.js';
import { FileAnswers } from './answers/file-answers.js';
import { FileSender } from './answers/file-sender.js';
import { FolderPages } from './answers/folder-pages.js';
import { KnownAnswers } from './answers/response-index.js';
import { Contents } from './content/content-cache.js';
import { Lasting } from './content/immutable-caching.js';
import { Manifests } from './content/manifest-cache.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { SiteServer } from './site-server.js';
import { Previews } from './sites/previews.js';
import { ServingIndex } from './sites/serving-index.js';
import { ShownSites } from './sites/shown-sites.js';

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
