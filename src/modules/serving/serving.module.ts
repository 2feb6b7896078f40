import { Module } from '@nestjs/common';
import { Manifests } from './manifests.js';
import { Previews } from './previews.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { ServingIndex } from './serving-index.js';
import { SiteServer } from './site-server.js';

/** Shows published sites to visitors. It has no routes of its own: it stands in front of the framework. */
@Module({
  providers: [Manifests, Previews, RulesOfSites, ServingIndex, SiteServer],
  exports: [ServingIndex, SiteServer],
})
export class ServingModule {}
