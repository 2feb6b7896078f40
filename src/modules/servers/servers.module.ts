import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServerLeases, serverLeasesTable } from './api/server-leases.js';
import { listServers } from './list-servers/list-servers.js';
import { LogWriter } from './output/log-writer.js';
import { serverLogTable } from './output/server-log.js';
import { RelayListener } from './relay/relay-listener.js';
import { LivePrograms } from './supervise/live-programs.js';
import { SiteServerFactory } from './supervise/site-server-factory.js';
import { Supervisor } from './supervise/supervisor.js';
import { KnownServers } from './use/known-servers.js';

const parts = [LogWriter, RelayListener, LivePrograms, SiteServerFactory, Supervisor, KnownServers];

/** Servers of sites: runs them, and records which ones run, sleep or have crashed. */
@Module({
  ...features({ tables: [serverLeasesTable, serverLogTable] }, { ...listServers, providers: parts }),
  exports: [ServerLeases, ...parts],
})
export class ServersModule {}
