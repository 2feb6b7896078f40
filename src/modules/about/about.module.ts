import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { features } from '../../nest/features.js';
import { ConnectorModule } from '../connector/connector.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { StatusModule } from '../status/status.module.js';
import { TrafficModule } from '../traffic/traffic.module.js';
import { auditKey } from './audit-key.js';
import { changelog } from './changelog/show-changelog.js';
import { offerCommand } from './command-line/offer-command.js';
import { errors } from './errors.js';
import { health } from './health.js';
import { home } from './home.js';
import { limits } from './limits.js';
import { llms } from './llms.js';
import { metrics } from './metrics/metrics.js';
import { openapi } from './openapi/openapi.js';
import { pageAssets } from './page-assets.js';
import { security } from './security.js';

@Module({
  imports: [DiscoveryModule, ConnectorModule, ServersModule, StatusModule, TrafficModule],
  ...features(
    home,
    health,
    errors,
    llms,
    openapi,
    limits,
    changelog,
    security,
    auditKey,
    metrics,
    pageAssets,
    offerCommand,
  ),
})
export class AboutModule {}
