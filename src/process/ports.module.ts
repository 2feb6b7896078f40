import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ServingModule } from '../modules/serving/serving.module.js';
import { SitesModule } from '../modules/sites/sites.module.js';
import { edgePorts } from './ports/edge.ports.js';
import { keptPorts } from './ports/kept.ports.js';
import { logPorts } from './ports/log.ports.js';
import { modulePorts } from './ports/module.ports.js';
import { outsidePorts } from './ports/outside.ports.js';
import { Surroundings } from './process-context.js';

/** The ports, each with what stands behind it in this process. */
@Global()
@Module({})
export class PortsModule {
  static with(surroundings: Surroundings): DynamicModule {
    const providers = [
      { provide: Surroundings, useValue: surroundings },
      ...logPorts(surroundings),
      ...keptPorts(surroundings),
      ...outsidePorts(surroundings),
      ...edgePorts(surroundings),
      ...modulePorts(surroundings),
    ];
    return { module: PortsModule, imports: [ServingModule, SitesModule], providers, exports: providers.map(tokenOf) };
  }
}

const tokenOf = (provider: { provide: unknown } | Class): Class =>
  typeof provider === 'function' ? provider : (provider.provide as Class);

type Class = abstract new (...given: never[]) => unknown;
