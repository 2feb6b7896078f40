import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { SitesModule } from '../sites/sites.module.js';
import { KnownServers } from './api/known-servers.js';
import { ServerCounts } from './api/server-counts.js';
import { ServerLeases, serverLeasesTable } from './api/server-leases.js';
import { listServers } from './list-servers/list-servers.js';
import { LogWriter } from './output/log-writer.js';
import { serverLogTable } from './output/server-log.js';
import { RelayListener } from './relay/relay-listener.js';
import { LiveServers } from './supervise/live-servers.js';
import { SiteServerFactory } from './supervise/site-server-factory.js';
import { Supervisor } from './supervise/supervisor.js';

const parts = [ServerCounts, LogWriter, RelayListener, LiveServers, SiteServerFactory, Supervisor, KnownServers];

@Module({
  imports: [SitesModule],
  ...features({ tables: [serverLeasesTable, serverLogTable] }, { ...listServers, providers: parts }),
  exports: [ServerLeases, ...parts],
})
export class ServersModule {}
