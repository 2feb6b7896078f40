import { Inject, Injectable } from '@nestjs/common';
import { ServingIndex } from '../../modules/serving/sites/serving-index.js';
import { type Service } from '../../nest/lifecycle.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { LogIdentity } from '../../projections/projector/log-identity.js';
import { Projector } from '../../projections/projector/projector.js';
import { waitForReadModels } from '../../projections/projector/wait-for-read-models.js';
import { readModels } from '../../projections/read-models.js';
import { Rebuilder } from '../../projections/rebuild/rebuilder.js';
import { EventEngine } from '../../settings/settings.js';
import { ProcessContext } from '../context.js';
import { announceRebuild } from '../start/announce-rebuild.js';
import { say } from '../start/log.js';

/** How often tables of old read models are looked for, in milliseconds. */
const SWEEP_MS = 600_000;

/** What is read of the log: read models, and the index that sites are served by. */
@Injectable()
export class ReadServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(LogIdentity) private readonly logIdentity: LogIdentity,
    @Inject(EventEngine) private readonly engine: EventEngine,
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @Inject(Projector) private readonly projector: Projector,
    @Inject(Rebuilder) private readonly rebuilder: Rebuilder,
    @Inject(ServingIndex) private readonly serving: ServingIndex,
  ) {}

  list(): Service[] {
    const { projector, rebuilder, serving } = this;
    return [
      { name: 'new read models', start: (signal) => this.#bringUpToVersion(signal) },
      {
        name: 'read models',
        roles: ['projector'],
        start: (signal) => projector.start(readModels, signal),
        stop: () => projector.stopped(),
      },
      {
        name: 'old read models',
        roles: ['projector'],
        start: async (signal) => void rebuilder.sweepPeriodically(SWEEP_MS, signal),
      },
      { name: 'serving index', roles: ['api', 'serve'], start: (signal) => serving.start(signal) },
    ];
  }

  async #bringUpToVersion(signal: AbortSignal): Promise<void> {
    await this.projector.prepare([]);
    await this.logIdentity.check(this.engine.name);
    if (!this.context.settings.roles.has('projector')) return waitForReadModels(this.checkpoints, signal, say);
    await this.rebuilder.buildMissing(readModels, signal, announceRebuild());
  }
}
