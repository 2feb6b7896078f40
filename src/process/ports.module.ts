import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ServingModule } from '../modules/serving/serving.module.js';
import { SitesModule } from '../modules/sites/sites.module.js';
import { edgePorts } from './ports/edge.ports.js';
import { keptPorts } from './ports/kept.ports.js';
import { logPorts } from './ports/log.ports.js';
import { modulePorts } from './ports/module.ports.js';
import { outsidePorts } from './ports/outside.ports.js';
import { ProcessContext } from './process-context.js';

/** The ports, each with what stands behind it in this process. */
@Global()
@Module({})
export class PortsModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      { provide: ProcessContext, useValue: context },
      ...logPorts(context),
      ...keptPorts(context),
      ...outsidePorts(context),
      ...edgePorts(context),
      ...modulePorts(context),
    ];
    return { module: PortsModule, imports: [ServingModule, SitesModule], providers, exports: providers.map(tokenOf) };
  }
}

const tokenOf = (provider: { provide: unknown } | Class): Class =>
  typeof provider === 'function' ? provider : (provider.provide as Class);

type Class = abstract new (...given: never[]) => unknown;
