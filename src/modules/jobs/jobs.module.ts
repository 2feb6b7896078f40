import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { checkRepo } from './check-repo/check-repo.js';
import { deployRepo } from './deploy-repo/deploy-repo.js';
import { ForgottenJobs } from './forget/forgotten-jobs.js';
import { linkedRepository } from './linked-repository/linked-repository.js';
import { listJobs } from './list-jobs/list-jobs.js';
import { SignedStatements } from './provenance/signed-statements.js';
import { Queueing } from './queueing.js';
import { rerun } from './rerun/rerun.js';
import { ScheduledBuilds } from './schedule/scheduled-builds.js';
import { showJob } from './show-job/show-job.js';
import { stopJob } from './stop-job/stop-job.js';
import { viewJob } from './view-job/view-job.js';
import { watchJob } from './watch-job/watch-job.js';
import { SiteJobStopper } from './worker/site-job-stopper.js';
import { Workers } from './worker/workers.js';

/** What is deployed from elsewhere, and how it goes on. */
@Module({
  ...features(
    { routes: [], providers: [Workers, SiteJobStopper, Queueing, ForgottenJobs, SignedStatements, ScheduledBuilds] },
    checkRepo,
    deployRepo,
    linkedRepository,
    listJobs,
    rerun,
    showJob,
    stopJob,
    viewJob,
    watchJob,
  ),
  exports: [Workers, ForgottenJobs, SiteJobStopper, ScheduledBuilds],
})
export class JobsModule {}
