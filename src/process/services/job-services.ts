import { Inject, Injectable } from '@nestjs/common';
import { ForgottenWork } from '../../modules/connector/forget/forgotten-work.js';
import { Sweeping } from '../../modules/connector/sweep/sweeping.js';
import { ForgottenJobs } from '../../modules/jobs/forget/forgotten-jobs.js';
import { ScheduledBuilds } from '../../modules/jobs/schedule/scheduled-builds.js';
import { Workers } from '../../modules/jobs/worker/workers.js';
import { ForgottenRuns } from '../../modules/runs/forget/forgotten-runs.js';
import { Engines } from '../engines.js';
import { type Service } from '../nest/lifecycle.js';
import { loop } from './loop.js';

/** Work that is asked for: jobs, runs and what connectors are given. */
@Injectable()
export class JobServices {
  constructor(
    @Inject(Engines) private readonly engines: Engines,
    @Inject(Workers) private readonly workers: Workers,
    private readonly scheduledBuilds: ScheduledBuilds,
    @Inject(ForgottenJobs) private readonly forgottenJobs: ForgottenJobs,
    @Inject(ForgottenRuns) private readonly forgottenRuns: ForgottenRuns,
    @Inject(Sweeping) private readonly connector: Sweeping,
    @Inject(ForgottenWork) private readonly forgottenWork: ForgottenWork,
  ) {}

  list(): Service[] {
    return [
      { name: 'repositories', start: () => this.engines.repositories.start() },
      { name: 'builder', roles: ['worker'], start: async () => void this.engines.builder.start(process.env) },
      loop('jobs', 'worker', this.workers),
      loop('scheduled builds', 'worker', this.scheduledBuilds),
      loop('old jobs', 'worker', this.forgottenJobs),
      loop('old runs', 'worker', this.forgottenRuns),
      loop('connector sweeps', 'worker', this.connector),
      loop('old connector work', 'worker', this.forgottenWork),
    ];
  }
}
