import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Repository } from 'typeorm';
import { queued } from '../../../../test/support/events/job-examples.js';
import { commandBus } from '../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { jobStream } from '../../../events/job.events.js';
import type { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { JobRow } from '../../../projections/models/job.projection.js';
import { NoImageBuilder } from '../../../sandbox/images/no-image-builder.js';
import { NoBuilder } from '../../../sandbox/no-builder.js';
import { readSettings } from '../../../settings/settings.js';
import type { KnownServers } from '../../servers/api/known-servers.js';
import type { Deploys } from '../../sites/api/deploys.js';
import type { JobRights } from '../../sites/api/job-rights.js';
import type { SiteShares } from '../../sites/api/site-shares.js';
import type { JobQueue } from '../api/job-queue.js';
import type { SignedStatements } from '../provenance/signed-statements.js';
import type { JobLogShares } from './job-log-shares.js';
import type { JobServices } from './job-services.js';
import type { SiteJobStopper } from './site-job-stopper.js';
import { Workers } from './workers.js';

const LEASE_MS = 30;

describe('Workers', () => {
  let store: MemoryStore;
  let stopping: AbortController;
  /** The latest calls that the workers made to the queue. */
  let told: string[];
  let workers: Workers;

  beforeEach(async () => {
    store = new MemoryStore();
    await store.write(jobStream('job_1'), queued);
    stopping = new AbortController();
    told = [];
  });
  afterEach(async () => {
    stopping.abort();
    await workers.stopped();
  });

  /** Creates workers for a job that copies its repository until the job is ended from outside. */
  async function workersOf({ take, renew = async () => true }: Partial<Pick<JobQueue, 'take' | 'renew'>>) {
    const queue: Partial<JobQueue> = {
      ...(take && { take }),
      renew,
      release: async () => void told.push('released'),
      remove: async () => void told.push('removed'),
    };
    const deploys: Partial<Deploys> = { find: async () => null };
    const rights: Partial<JobRights> = {
      readEnvironment: async () => ({ isTrusted: false, secrets: new Map(), isWithheld: false }),
      countEnded: async () => 0,
    };
    const repositories: Partial<Repositories> = {
      copy: (_, signal) =>
        new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    };
    const jobs: Partial<Repository<JobRow>> = { find: async () => [] };
    const services: JobServices = {
      commands: await commandBus(new Transactions(store, new MemorySnapshots(), new RandomIds())),
      store,
      queue: queue as JobQueue,
      repositories: repositories as Repositories,
      deploys: deploys as Deploys,
      rights: rights as JobRights,
      builder: new NoBuilder('None here.'),
      imageBuilder: new NoImageBuilder('None here.'),
      servers: {} as KnownServers,
      builds: readSettings({}).builds,
      statements: {} as SignedStatements,
      shares: { shareOf: async () => ({ kind: 'person', userId: 'usr_1' }) } as Partial<SiteShares> as SiteShares,
      logShares: {} as JobLogShares,
      urls: {} as ServiceUrls,
      settings: { atOnce: 2, perOwner: 1, leaseMs: LEASE_MS },
    };
    const siteJobs: Partial<SiteJobStopper> = { stopRevoked: async () => false, stopEnded: async () => [] };
    const { commands, settings } = services;
    return new Workers(
      commands,
      store,
      services.queue,
      settings,
      siteJobs as SiteJobStopper,
      services,
      jobs as Repository<JobRow>,
    );
  }

  it('workers hand back a job that they take while the service shuts down', async () => {
    workers = await workersOf({
      take: async () => {
        stopping.abort();
        return 'job_1';
      },
    });
    workers.start(stopping.signal);
    await workers.stopped();
    const { events } = await store.read(jobStream('job_1'));
    expect(events.map(({ type }) => type)).toEqual(['JobQueued', 'JobStarted', 'JobQueuedAgain']);
    expect(told).toEqual(['released']);
  });

  it('workers take no jobs while they can’t renew leases, so that no worker takes its own job again', async () => {
    let taken = 0;
    let isAway = true;
    let asked = Promise.withResolvers<void>();
    let takenAgain = Promise.withResolvers<void>();
    workers = await workersOf({
      take: async () => {
        takenAgain.resolve();
        return ++taken === 1 ? 'job_1' : null;
      },
      renew: async () => {
        asked.resolve();
        if (isAway) throw new Error('The database is away.');
        return true;
      },
    });
    const askedAgain = () => {
      asked = Promise.withResolvers();
      return asked.promise;
    };
    workers.start(stopping.signal);
    await askedAgain();
    // Wait for another attempt to renew the lease. By then, the lease would have expired.
    await askedAgain();
    const before = taken;
    workers.wake();
    await askedAgain();
    expect(taken).toBe(before);

    isAway = false;
    takenAgain = Promise.withResolvers();
    await askedAgain();
    await new Promise(setImmediate);
    workers.wake();
    await takenAgain.promise;
  });
});
