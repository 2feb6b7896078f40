import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { bySystem } from '../../../kernel/command-context.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { JobQueue } from '../../../tables/job-queue.js';
import { JobCommand } from '../job-command.js';
import { decideStopWithSite } from '../stop-job/stop-job.decide.js';

export class StopJobWithSite extends JobCommand(decideStopWithSite) {}

/** Stops the jobs of a site that is gone. */
@Injectable()
export class SiteJobStopper {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
  ) {}

  /** Stops every job of the site that was queued before `position`. Harmless to repeat, here and elsewhere. */
  async stop(siteId: string, position: bigint) {
    await this.readModels.reached(position);
    const context = bySystem(new Date().toISOString());
    for (const { jobId } of await this.jobs.findBy({ siteId, status: In(['queued', 'running']) })) {
      const { state } = await this.commands.execute(new StopJobWithSite({ context, jobId }));
      if (state.status === 'stopped') await this.queue.remove(jobId);
    }
  }
}
