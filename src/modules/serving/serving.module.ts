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
import { SiteHosts } from './api/site-hosts.js';
import { SiteLookup } from './api/site-lookup.js';
import { ConnectorScript } from './connector/connector-script.js';
import { ContentCache } from './content/content-cache.js';
import { FileTraitReader } from './content/file-traits.js';
import { ImmutableAssets } from './content/immutable-assets.js';
import { ManifestCache } from './content/manifest-cache.js';
import { FileResponder } from './responses/file-responder.js';
import { FileSender } from './responses/file-sender.js';
import { FolderPages } from './responses/folder-pages.js';
import { ResponseIndex } from './responses/response-index.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { EarlierServers } from './servers/earlier-servers.js';
import { ServerProxy } from './servers/server-proxy.js';
import { ServerResponder } from './servers/server-responder.js';
import { StaticAssetFinder } from './servers/static-assets.js';
import { SiteRequestHandler } from './site-request-handler.js';
import { PreviewCache } from './sites/previews.js';
import { ServingIndex } from './sites/serving-index.js';
import { SiteResolver } from './sites/shown-sites.js';
import { VisitRecorder } from './visits/visits.js';

/** Maximum memory for manifests, in bytes: about 200,000 files with paths of typical length. */
const MANIFESTS = 64 * 1_024 * 1_024;

/**
 * Serves published sites to visitors, in front of Fastify. The module's only Fastify route redirects members to a site.
 */
@Module({
  imports: [ServersModule, TrafficModule],
  ...features({ tables: [usedTicketsTable] }, visit, {
    providers: [
      ConnectorScript,
      ContentCache,
      EarlierServers,
      FileResponder,
      FileSender,
      FileTraitReader,
      FolderPages,
      ResponseIndex,
      ImmutableAssets,
      LiveSessions,
      {
        provide: ManifestCache,
        inject: [BlobStore],
        useFactory: (blobs: BlobStore) => new ManifestCache(blobs, MANIFESTS),
      },
      PreviewCache,
      ServerResponder,
      ServerProxy,
      RulesOfSites,
      SiteLookup,
      ServingIndex,
      SiteResolver,
      SiteAccessGate,
      SiteHosts,
      SiteRequestHandler,
      StaticAssetFinder,
      Visitors,
      VisitRecorder,
    ],
  }),
  exports: [ServerProxy, SiteLookup, ServingIndex, SiteHosts, SiteRequestHandler],
})
export class ServingModule {}
