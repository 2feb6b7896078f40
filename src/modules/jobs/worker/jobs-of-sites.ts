import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { jobStream } from '../../../events/job.events.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import { Transactions } from '../../../kernel/transactions.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { JobQueue } from '../../../tables/job-queue.js';
import { job } from '../job.state.js';
import { decideStopWithSite } from '../stop-job/stop-job.decide.js';

/** Ends what is under way for a site that is gone. */
@Injectable()
export class SiteJobReader {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
  ) {}

  /** Stops every job of the site that was queued before `position`. Harmless to repeat, here and elsewhere. */
  async stop(siteId: string, position: bigint) {
    await this.readModels.reached(position);
    const by = { at: new Date().toISOString(), actor: { kind: 'system' } as const };
    for (const { jobId } of await this.jobs.findBy({ siteId, status: In(['queued', 'running']) })) {
      const { state } = await this.transactions.run(jobStream(jobId), job, decideStopWithSite, {}, by);
      if (state.status === 'stopped') await this.queue.remove(jobId);
    }
  }
}
