import { Inject, Injectable } from '@nestjs/common';
import { ServingIndex } from '../../modules/serving/sites/serving-index.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { FollowedLog } from '../../projections/projector/log-identity.js';
import { Keeper } from '../../projections/projector/projector.js';
import { awaitProjector } from '../../projections/projector/wait-for-read-models.js';
import { readModels } from '../../projections/read-models.js';
import { Rebuilder } from '../../projections/rebuild/rebuilder.js';
import { EventEngine } from '../../settings.js';
import { announceRebuild } from '../announce-rebuild.js';
import type { Part } from '../nest/lifecycle.js';
import { Surroundings } from '../process-context.js';

/** How often tables that nobody needs any more are looked for. */
const SWEEP_MS = 600_000;

/** What is read of the log: read models, and the index that sites are served by. */
@Injectable()
export class ReadParts {
  constructor(
    @Inject(Surroundings) private readonly surroundings: Surroundings,
    @Inject(FollowedLog) private readonly followed: FollowedLog,
    @Inject(EventEngine) private readonly engine: EventEngine,
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @Inject(Keeper) private readonly keeper: Keeper,
    @Inject(Rebuilder) private readonly rebuilder: Rebuilder,
    @Inject(ServingIndex) private readonly serving: ServingIndex,
  ) {}

  list(): Part[] {
    const { keeper, rebuilder, serving } = this;
    return [
      { name: 'read models of a new version', start: (signal) => this.#bringUpToVersion(signal) },
      {
        name: 'read models',
        roles: ['projector'],
        start: (signal) => keeper.start(readModels, signal),
        stop: () => keeper.stopped(),
      },
      {
        name: 'old read models',
        roles: ['projector'],
        start: async (signal) => void rebuilder.sweepOn(SWEEP_MS, signal),
      },
      { name: 'serving index', roles: ['api', 'serve'], start: (signal) => serving.start(signal) },
    ];
  }

  async #bringUpToVersion(signal: AbortSignal): Promise<void> {
    await this.keeper.prepare([]);
    await this.followed.check(this.engine.name);
    if (!this.surroundings.settings.roles.has('projector')) return awaitProjector(this.checkpoints, signal);
    await this.rebuilder.buildMissing(readModels, signal, announceRebuild());
  }
}
