import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { BlobStore } from '../../storage/blobs/blob-store.js';
import { ServersModule } from '../servers/servers.module.js';
import { TrafficModule } from '../traffic/traffic.module.js';
import { LiveSessions } from './access/live-sessions.js';
import { SiteAccessGate } from './access/site-access-gate.js';
import { usedTicketsTable } from './access/used-tickets.js';
import { visit } from './access/visit.js';
import { Visitors } from './access/visitors.js';
import { FileAnswers } from './answers/file-answers.js';
import { FileSender } from './answers/file-sender.js';
import { FolderPages } from './answers/folder-pages.js';
import { ResponseIndex } from './answers/response-index.js';
import { SiteHosts } from './api/site-hosts.js';
import { SiteLookup } from './api/site-lookup.js';
import { ConnectorScript } from './connector/connector-script.js';
import { ContentCache } from './content/content-cache.js';
import { ImmutableCaching } from './content/immutable-caching.js';
import { ManifestCache } from './content/manifest-cache.js';
import { EarlierPrograms } from './programs/earlier-programs.js';
import { ProgramAnswers } from './programs/program-answers.js';
import { ProgramFront } from './programs/program-front.js';
import { StaticAssets } from './programs/static-assets.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { SiteServer } from './site-server.js';
import { Previews } from './sites/previews.js';
import { ServingIndex } from './sites/serving-index.js';
import { SiteResolver } from './sites/shown-sites.js';
import { Visits } from './visits/visits.js';

/** Maximum memory of cached manifests, in bytes: about 200,000 files with paths of usual length. */
const MANIFESTS = 64 * 1_024 * 1_024;

/** Serves published sites to visitors, in front of the framework. Its only route redirects members to a site. */
@Module({
  imports: [ServersModule, TrafficModule],
  ...features({ tables: [usedTicketsTable] }, visit, {
    providers: [
      ConnectorScript,
      ContentCache,
      EarlierPrograms,
      FileAnswers,
      FileSender,
      FolderPages,
      ResponseIndex,
      ImmutableCaching,
      LiveSessions,
      {
        provide: ManifestCache,
        inject: [BlobStore],
        useFactory: (blobs: BlobStore) => new ManifestCache(blobs, MANIFESTS),
      },
      Previews,
      ProgramAnswers,
      ProgramFront,
      RulesOfSites,
      SiteLookup,
      ServingIndex,
      SiteResolver,
      SiteAccessGate,
      SiteHosts,
      SiteServer,
      StaticAssets,
      Visitors,
      Visits,
    ],
  }),
  exports: [ProgramFront, SiteLookup, ServingIndex, SiteHosts, SiteServer],
})
export class ServingModule {}
