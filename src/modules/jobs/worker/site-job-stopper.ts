import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { bySystem } from '../../../kernel/command-context.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { type JobRight, RIGHT_ENDED } from '../../../kernel/rights/job-right.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { ClaimedSiteJobs } from '../../sites/api/claimed-site-jobs.js';
import { JobRights } from '../../sites/api/job-rights.js';
import { JobQueue } from '../api/job-queue.js';
import { JobCommand } from '../job-command.js';
import { decideStopEndedRight } from '../stop-job/stop-ended-right.decide.js';

export class StopJobOfEndedRight extends JobCommand(decideStopEndedRight) {}

/**
 * Maximum number of jobs that are stopped at once, which is enough for all waiting jobs of a service with a long queue.
 */
const AT_ONCE = 500;

const UNENDED = In(['queued', 'running']);

type StoppableJob = Pick<JobRow, 'jobId' | 'siteId' | 'startedBy'>;

/** Stops jobs whose right to deploy has ended. All methods are idempotent, even across processes. */
@Injectable()
export class SiteJobStopper extends ClaimedSiteJobs {
  constructor(
    private readonly commands: CommandBus,
    private readonly queue: JobQueue,
    private readonly readModels: ReadModelWaiter,
    private readonly rights: JobRights,
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
  ) {
    super();
  }

  /** Stops the jobs of the site that were queued before `position` and whose right to deploy has ended. */
  async stopOnSite(siteId: string, position: bigint): Promise<void> {
    await this.readModels.reached(position);
    await this.stopEnded(await this.jobs.findBy({ siteId, status: UNENDED }));
  }

  override async stopAfterClaim(siteId: string, position: bigint): Promise<readonly string[]> {
    await this.readModels.reached(position);
    const rows = await this.jobs.find({
      where: [
        { siteId, status: UNENDED },
        // Another process may already have stopped the jobs that the read model still lists.
        { siteId, status: In(['stopping', 'stopped']), errorCode: RIGHT_ENDED },
      ],
      order: { createdAt: 'asc' },
      take: AT_ONCE,
    });
    const byToken = rows.filter((row) => rightOf(row).kind === 'editToken');
    const stopped = new Set(await this.stopEnded(byToken));
    return byToken.flatMap(({ jobId, errorCode }) => (stopped.has(jobId) || errorCode === RIGHT_ENDED ? jobId : []));
  }

  /** Stops these jobs if their right to deploy has ended. Returns the IDs of the stopped jobs. */
  async stopEnded(rows: readonly StoppableJob[]): Promise<readonly string[]> {
    const stopped: string[] = [];
    for (const row of rows) if (await this.#stopIfEnded(row)) stopped.push(row.jobId);
    return stopped;
  }

  /** Stops the jobs whose access token or grant was revoked. The site's events do not record such revocations. */
  async stopRevoked(): Promise<false> {
    const rows = await this.jobs.find({
      select: { jobId: true, siteId: true, startedBy: true },
      where: { status: UNENDED },
      order: { createdAt: 'asc' },
      take: AT_ONCE,
    });
    const rights = rows.map((row) => ({ ...rightOf(row), row }));
    await this.stopEnded((await this.rights.listRevoked(rights)).map(({ row }) => row));
    return false;
  }

  async #stopIfEnded(row: StoppableJob): Promise<boolean> {
    const { jobId, siteId } = row;
    const end = await this.rights.whyEnded(siteId, rightOf(row));
    if (end === null) return false;
    const context = bySystem(new Date().toISOString());
    const { state } = await this.commands.execute(new StopJobOfEndedRight({ context, jobId, end }));
    if (state.status === 'stopped') await this.queue.remove(jobId);
    return state.status === 'stopped' || (state.status === 'stopping' && state.error !== null);
  }
}

const rightOf = ({ startedBy }: Pick<JobRow, 'startedBy'>): JobRight => JSON.parse(startedBy);
