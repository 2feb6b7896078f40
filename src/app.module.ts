import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule, RouterModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from './accounts/accounts.module.js';
import { KnownQuery } from './edge/http/api/schemas/known-query.js';
import { validationPipe } from './edge/http/api/schemas/validation-pipe.js';
import { ProblemFilter } from './edge/http/problems/problem.filter.js';
import { LiveController } from './edge/live/live.controller.js';
import { LiveGateway } from './edge/live/live.gateway.js';
import { AboutModule } from './modules/about/about.module.js';
import { CertificatesModule } from './modules/certificates/certificates.module.js';
import { ConnectorModule } from './modules/connector/connector.module.js';
import { DomainsModule } from './modules/domains/domains.module.js';
import { GenerateModule } from './modules/generate/generate.module.js';
import { IdentityModule } from './modules/identity/identity.module.js';
import { JobsModule } from './modules/jobs/jobs.module.js';
import { McpModule } from './modules/mcp/mcp.module.js';
import { OAuthModule } from './modules/oauth/oauth.module.js';
import { RunsModule } from './modules/runs/runs.module.js';
import { ServersModule } from './modules/servers/servers.module.js';
import { ServingModule } from './modules/serving/serving.module.js';
import { SitesModule } from './modules/sites/sites.module.js';
import { StatusModule } from './modules/status/status.module.js';
import { TrafficModule } from './modules/traffic/traffic.module.js';
import { WaitlistModule } from './modules/waitlist/waitlist.module.js';
import { ForgetStreamHandler } from './nest/forget-stream.js';
import { StreamCommandHandler } from './nest/stream-command.js';
import type { ProcessContext } from './process/context.js';
import { ProcessModule } from './process/providers/process.module.js';
import { services } from './process/services.js';
import { allReadModels } from './projections/read-models.js';
import { buildTableOptions } from './projections/table-names.js';

/** `AccountsModule` comes first, because tables of other modules may reference its tables. */
export const modules = [
  AccountsModule,
  SitesModule,
  ServingModule,
  ServersModule,
  AboutModule,
  WaitlistModule,
  IdentityModule,
  RunsModule,
  JobsModule,
  DomainsModule,
  ConnectorModule,
  CertificatesModule,
  GenerateModule,
  TrafficModule,
  StatusModule,
  OAuthModule,
  McpModule,
] as const;

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        DiscoveryModule,
        TypeOrmModule.forRoot({ ...context.database, ...buildTableOptions(allReadModels) }),
        { ...TypeOrmModule.forFeature(buildTableOptions(allReadModels).entities), global: true },
        ProcessModule.with(context),
        ...modules,
        // Mount the MCP endpoint at the path of the setting `mcpUrl`, which the operator chooses.
        RouterModule.register([{ path: new URL(context.settings.mcpUrl).pathname, module: McpModule }]),
      ],
      controllers: [LiveController],
      providers: [
        LiveGateway,
        StreamCommandHandler,
        ForgetStreamHandler,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_GUARD, useClass: KnownQuery },
        { provide: APP_PIPE, useValue: validationPipe },
        ...services,
      ],
    };
  }
}
