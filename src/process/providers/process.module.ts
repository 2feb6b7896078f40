import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobsModule } from '../../modules/jobs/jobs.module.js';
import { ServersModule } from '../../modules/servers/servers.module.js';
import { ServingModule } from '../../modules/serving/serving.module.js';
import { SitesModule } from '../../modules/sites/sites.module.js';
import { StatusModule } from '../../modules/status/status.module.js';
import { TrafficModule } from '../../modules/traffic/traffic.module.js';
import { ProcessContext } from '../context.js';
import { edgeProviders } from './edge-providers.js';
import { engineProviders } from './engine-providers.js';
import { logProviders } from './log-providers.js';
import { moduleProviders } from './module-providers.js';
import { tableProviders } from './table-providers.js';

/** Providers that can be injected anywhere, with the implementations that this process uses. */
@Global()
@Module({})
export class ProcessModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      { provide: ProcessContext, useValue: context },
      ...engineProviders(context),
      ...logProviders(context),
      ...tableProviders(context),
      ...edgeProviders(context),
      ...moduleProviders(context),
    ];
    return {
      module: ProcessModule,
      imports: [DiscoveryModule, JobsModule, ServersModule, ServingModule, SitesModule, StatusModule, TrafficModule],
      providers,
      exports: providers.map(tokenOf),
    };
  }
}

const tokenOf = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);
