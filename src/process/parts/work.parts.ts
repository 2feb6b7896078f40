import { Inject, Injectable } from '@nestjs/common';
import type { GitRepositories } from '../../adapters/git/git-repositories.js';
import { IdempotencyKeys } from '../../kernel/ports/idempotency.js';
import { JobQueue } from '../../kernel/ports/job-queue.js';
import { Repositories } from '../../kernel/ports/repositories.js';
import { Measures } from '../../modules/about/metrics/measures.js';
import { Erasing } from '../../modules/identity/erase/erasure.js';
import { ForgottenJobs } from '../../modules/jobs/forget/forgotten-jobs.js';
import { Workers } from '../../modules/jobs/worker/workers.js';
import { ForgottenRuns } from '../../modules/runs/forget/forgotten-runs.js';
import { Collection } from '../../modules/sites/collect/collection.js';
import { Reserving } from '../../modules/sites/delete/reserving.js';
import { Expiring } from '../../modules/sites/expire/expiring.js';
import { SecretsSweeping } from '../../modules/sites/secrets/sweeping.js';
import type { IdempotencyTable } from '../../tables/idempotency.js';
import type { JobQueueTable } from '../../tables/job-queue.js';
import type { Part } from '../nest/lifecycle.js';
import { Surroundings } from '../process-context.js';

/** What is done without being asked: what follows from time, jobs, and what both need. */
@Injectable()
export class WorkParts {
  constructor(
    @Inject(Surroundings) private readonly surroundings: Surroundings,
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyTable,
    @Inject(Erasing) private readonly erasing: Erasing,
    @Inject(Collection) private readonly collection: Collection,
    @Inject(SecretsSweeping) private readonly sweeping: SecretsSweeping,
    @Inject(Measures) private readonly measures: Measures,
    @Inject(Expiring) private readonly expiring: Expiring,
    @Inject(Reserving) private readonly reserving: Reserving,
    @Inject(Repositories) private readonly repositories: GitRepositories,
    @Inject(JobQueue) private readonly queue: JobQueueTable,
    @Inject(Workers) private readonly workers: Workers,
    @Inject(ForgottenJobs) private readonly forgottenJobs: ForgottenJobs,
    @Inject(ForgottenRuns) private readonly forgottenRuns: ForgottenRuns,
  ) {}

  list(): Part[] {
    const isAlone = this.surroundings.settings.databaseUrl === null;
    return [
      { name: 'idempotency keys', start: (signal) => this.keys.start(signal, isAlone) },
      { name: 'people who are going', start: () => this.erasing.start() },
      { name: 'collection', roles: ['worker'], start: async (signal) => this.collection.start(signal) },
      {
        name: 'secrets of nobody',
        roles: ['worker'],
        start: async (signal) => this.sweeping.start(signal),
        stop: () => this.sweeping.stopped(),
      },
      { name: 'measures', start: (signal) => this.measures.start(signal) },
      { name: 'expiry', roles: ['worker'], start: async (signal) => this.expiring.start(signal) },
      { name: 'slugs of deleted sites', roles: ['worker'], start: async (signal) => this.reserving.start(signal) },
      { name: 'repositories', start: () => this.repositories.start() },
      { name: 'job queue', start: (signal) => this.queue.start(signal, isAlone) },
      {
        name: 'jobs',
        roles: ['worker'],
        start: async (signal) => this.workers.start(signal),
        stop: () => this.workers.stopped(),
      },
      { name: 'old jobs', roles: ['worker'], start: async (signal) => this.forgottenJobs.start(signal) },
      { name: 'old runs', roles: ['worker'], start: async (signal) => this.forgottenRuns.start(signal) },
    ];
  }
}
