import { Module } from '@nestjs/common';
import { features } from '../../wiring/features.js';
import { Collection } from './collect/collection.js';
import { deploy } from './deploy/deploy.js';
import { history } from './history/history.js';
import { listDeploys } from './list-deploys/list-deploys.js';
import { listFiles } from './list-files/list-files.js';
import { rollback } from './rollback/rollback.js';
import { showSite } from './show-site/show-site.js';
import { SiteDirectory } from './site-directory.js';
import { SiteReader } from './site-reader.js';

/** What can be done with a site. */
@Module({
  ...features(
    { routes: [], providers: [SiteDirectory, SiteReader, Collection] },
    deploy,
    rollback,
    showSite,
    listDeploys,
    listFiles,
    history,
  ),
  exports: [Collection],
})
export class SitesModule {}
