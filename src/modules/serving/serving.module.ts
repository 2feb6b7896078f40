import { Module } from '@nestjs/common';
import { Contents } from './contents.js';
import { FileSender } from './file-sender.js';
import { FolderPages } from './folder-pages.js';
import { Lasting } from './lasting.js';
import { Manifests } from './manifests.js';
import { Previews } from './previews.js';
import { RulesOfSites } from './rules/rules-of-sites.js';
import { ServingIndex } from './serving-index.js';
import { SiteServer } from './site-server.js';

/** Shows published sites to visitors. It has no routes of its own: it stands in front of the framework. */
@Module({
  providers: [Contents, FileSender, FolderPages, Lasting, Manifests, Previews, RulesOfSites, ServingIndex, SiteServer],
  exports: [ServingIndex, SiteServer],
})
export class ServingModule {}
