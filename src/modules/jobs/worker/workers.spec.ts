import { expect, it } from '@jest/globals';
import type { Repository } from 'typeorm';
import { queued } from '../../../../test/support/job-stories.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/memory-store.js';
import { RandomIds } from '../../../edge/random-ids.js';
import { jobStream } from '../../../events/job.events.js';
import type { JobQueue } from '../../../kernel/job-queue.js';
import type { Repositories } from '../../../kernel/repositories.js';
import type { SitesForJobs } from '../../../kernel/sites-for-jobs.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { JobRow } from '../../../projections/job.projection.js';
import type { JobsOfSites } from './jobs-of-sites.js';
import { Workers } from './workers.js';

it('A job that is taken up while the service is told to stop is handed back', async () => {
  const store = new MemoryStore();
  await store.write(jobStream('job_1'), queued);
  const stopping = new AbortController();
  const told: string[] = [];
  const queue: Partial<JobQueue> = {
    take: async () => {
      stopping.abort();
      return 'job_1';
    },
    renew: async () => true,
    release: async () => void told.push('released'),
    remove: async () => void told.push('removed'),
  };
  const sites: Partial<SitesForJobs<unknown>> = { hasDeploy: async () => false, environment: async () => new Map() };
  const repositories: Partial<Repositories> = { copy: () => Promise.withResolvers<never>().promise };
  const workers = new Workers(
    new Transactions(store, new MemorySnapshots(), new RandomIds()),
    store,
    queue as JobQueue,
    repositories as Repositories,
    sites as SitesForJobs<never>,
    { atOnce: 1, perOwner: 1, leaseMs: 60_000 },
    {} as JobsOfSites,
    { find: async () => [] } as Partial<Repository<JobRow>> as Repository<JobRow>,
  );
  workers.start(stopping.signal);
  await workers.stopped();
  const { events } = await store.read(jobStream('job_1'));
  expect(events.map(({ type }) => type)).toEqual(['JobQueued', 'JobStarted', 'JobQueuedAgain']);
  expect(told).toEqual(['released']);
});
