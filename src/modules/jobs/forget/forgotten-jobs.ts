import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, MoreThan, type Repository } from 'typeorm';
import { JobForgotten, jobStream } from '../../../events/job.events.js';
import { StreamRetention } from '../../../kernel/ports/stream-retention.js';
import { ForgetStream } from '../../../nest/forget-stream.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { job } from '../job.state.js';

const PAGE = 100;

/** Deletes streams and logs of jobs that ended long ago (docs/interface/streams.md, "Retention"). */
@Injectable()
export class JobForgetter {
  constructor(
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
    private readonly commands: CommandBus,
    private readonly kept: StreamRetention,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'forget_old_jobs', everyMs: this.kept.lookEveryMs, signal }, () => this.#forgetOld());
  }

  /**
   * Deletes the streams and logs of old jobs. Visits each job once, even if the read model still contains deleted jobs.
   */
  async #forgetOld(): Promise<false> {
    const before = new Date(Date.now() - this.kept.ms);
    for (let last = ''; ; ) {
      const old = await this.jobs.find({
        where: { finishedAt: LessThan(before), jobId: MoreThan(last) },
        order: { jobId: 'asc' },
        take: PAGE,
        select: { jobId: true },
      });
      for (const { jobId } of old) {
        const stream = {
          stream: jobStream(jobId),
          fold: job,
          tombstone: JobForgotten({}),
          before: before.toISOString(),
        };
        await this.commands.execute(new ForgetStream(stream));
      }
      const next = old.at(-1);
      if (!next || old.length < PAGE) return false;
      last = next.jobId;
    }
  }
}
