import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServersModule } from '../servers/servers.module.js';
import { SitesModule } from '../sites/sites.module.js';
import { JobQueue, jobQueueTable } from './api/job-queue.js';
import { checkRepo } from './check-repo/check-repo.js';
import { deployRepo } from './deploy-repo/deploy-repo.js';
import { JobForgetter } from './forget/forgotten-jobs.js';
import { JobCreator } from './job-creator.js';
import { linkedRepository } from './linked-repository/linked-repository.js';
import { listJobs } from './list-jobs/list-jobs.js';
import { SignedStatements } from './provenance/signed-statements.js';
import { rerun } from './rerun/rerun.js';
import { CronSchedules } from './schedule/cron-schedules.js';
import { ScheduledBuilds } from './schedule/scheduled-builds.js';
import { showJob } from './show-job/show-job.js';
import { stopJob } from './stop-job/stop-job.js';
import { viewJob } from './view-job/view-job.js';
import { watchJob } from './watch-job/watch-job.js';
import { jobLogSharesTable } from './worker/job-log-shares.js';
import { JobServices } from './worker/job-services.js';
import { SiteJobStopper } from './worker/site-job-stopper.js';
import { Workers } from './worker/workers.js';

@Module({
  imports: [ServersModule, SitesModule],
  ...features(
    { tables: [jobQueueTable, jobLogSharesTable] },
    {
      providers: [CronSchedules, SiteJobStopper, JobCreator, JobServices, SignedStatements],
      loops: [
        { name: 'jobs', role: 'worker', run: Workers },
        { name: 'old jobs', role: 'worker', run: JobForgetter },
        { name: 'scheduled builds', role: 'worker', run: ScheduledBuilds },
      ],
    },
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
  exports: [JobQueue, SiteJobStopper],
})
export class JobsModule {}
