import { beforeEach, describe, expect, it } from '@jest/globals';
import { asked, queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { commandBus } from '../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { type JobLogged, JobStopRequested, jobStream } from '../../../events/job.events.js';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { backgroundFailures } from '../../../kernel/faults/background-task.js';
import { StorageFullError } from '../../../kernel/faults/storage-full.js';
import type { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { Refusal } from '../../../kernel/refusal.js';
import { RightEndedError, rightEnded } from '../../../kernel/rights/job-right.js';
import { Transactions } from '../../../kernel/transactions.js';
import { NoImageBuilder } from '../../../sandbox/images/no-image-builder.js';
import { NoBuilder } from '../../../sandbox/no-builder.js';
import { readSettings } from '../../../settings/settings.js';
import type { KnownServers } from '../../servers/api/known-servers.js';
import type { Deploys, PublishedDeploy } from '../../sites/api/deploys.js';
import type { JobRights } from '../../sites/api/job-rights.js';
import type { SiteShares } from '../../sites/api/site-shares.js';
import type { JobQueue } from '../api/job-queue.js';
import { job } from '../job.state.js';
import type { SignedStatements } from '../provenance/signed-statements.js';
import type { JobLogShares } from './job-log-shares.js';
import type { JobServices } from './job-services.js';
import { RunningJob } from './running-job.js';

/** A worker renews its lease after a third of this time, which is longer than a test takes. */
const LEASE_MS = 600_000;

const stream = jobStream('job_1');

describe('RunningJob', () => {
  let store: MemoryStore;
  /** The latest calls that the job made to the queue. */
  let told: string[];
  let findDeploy: () => Promise<PublishedDeploy | null>;
  let copy: Repositories['copy'];
  let renew: JobQueue['renew'];

  beforeEach(() => {
    store = new MemoryStore();
    told = [];
    findDeploy = async () => null;
    copy = () => Promise.reject(new Error('Nothing is there.'));
    renew = async () => true;
  });

  async function started(takenAt = performance.now()): Promise<RunningJob> {
    await store.write(stream, queued, startedBy('w'));
    const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    const { state, head } = await transactions.state(stream, job);
    if (state.status !== 'running') throw new Error('It should be running.');
    const queue: Partial<JobQueue> = {
      renew: (...given) => renew(...given),
      release: async () => void told.push('released'),
      remove: async () => void told.push('removed'),
    };
    const repositories: Partial<Repositories> = { copy: (...given) => copy(...given) };
    const deploys: Partial<Deploys> = { find: () => findDeploy() };
    const rights: Partial<JobRights> = {
      readEnvironment: async () => ({ isTrusted: false, secrets: new Map(), isWithheld: false }),
      countEnded: async () => 0,
    };
    const services: JobServices = {
      commands: await commandBus(transactions),
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
      logShares: { take: async () => true } as Partial<JobLogShares> as JobLogShares,
      urls: {} as ServiceUrls,
      settings: { atOnce: 1, perOwner: 1, leaseMs: LEASE_MS },
    };
    return new RunningJob(services, 'job_1', state, head.revision, takenAt);
  }

  const outcome = async () => {
    const { events } = await store.read(stream);
    const { type, data } = events.at(-1)!;
    return [type, data, told];
  };

  it.each([
    // The process that stops the jobs of a deleted site may lag slightly.
    [
      'its site was deleted',
      new Refusal('site_not_found'),
      'JobStopped',
      { error: rightEnded('site_deleted') },
      'removed',
    ],
    ['its right has ended', new RightEndedError('claimed'), 'JobStopped', { error: rightEnded('claimed') }, 'removed'],
    [
      'its site was taken down',
      new Refusal('taken_down', 'The operator took it down.'),
      'JobFailed',
      { code: 'taken_down', message: 'The operator took it down.' },
      'removed',
    ],
    [
      'the storage is full',
      new StorageFullError('full'),
      'JobFailed',
      { code: 'storage_full', message: 'The service has run out of storage space.' },
      'removed',
    ],
    [
      'the disk has no room for its copy',
      Object.assign(new Error('ENOSPC: no space left on device, mkdtemp'), { code: 'ENOSPC' }),
      'JobFailed',
      { code: 'storage_full', message: 'The service has run out of storage space.' },
      'removed',
    ],
    ['git was killed', new Refusal('unavailable'), 'JobQueuedAgain', { reason: 'worker_lost' }, 'released'],
    [
      'the store is unavailable',
      new StoreUnavailableError('away'),
      'JobQueuedAgain',
      { reason: 'handed_back' },
      'released',
    ],
    [
      'an unexpected error occurs',
      new TypeError('x is not a function'),
      'JobFailed',
      { code: 'internal', message: 'The job failed because of an internal error.' },
      'removed',
    ],
  ])(
    'a job records its outcome and gives up its place in the queue if %s',
    async (_, error, type, data, atTheQueue) => {
      findDeploy = () => Promise.reject(error);
      await (await started()).run();
      expect(await outcome()).toEqual([type, data, [atTheQueue]]);
    },
  );

  it('an unexpected error in a job is counted in the metrics, but a refusal is not', async () => {
    const before = backgroundFailures().get('run_jobs') ?? 0;
    findDeploy = () => Promise.reject(new TypeError('x is not a function'));
    await (await started()).run();
    expect(backgroundFailures().get('run_jobs')).toBe(before + 1);
    findDeploy = () => Promise.reject(new Refusal('repo_unreachable'));
    await (await started()).run();
    expect(backgroundFailures().get('run_jobs')).toBe(before + 1);
  });

  it('a job succeeds without copying anything if an earlier worker already published its deploy', async () => {
    findDeploy = async () => ({ unchanged: true });
    await (await started()).run();
    expect(await outcome()).toEqual(['JobSucceeded', { deployId: asked.deployId, unchanged: true }, ['removed']]);
  });

  it.each([
    ['stopped', 'JobStopped', { error: null }, 'removed'],
    ['handed_back', 'JobQueuedAgain', { reason: 'handed_back' }, 'released'],
    ['timed_out', 'JobFailed', { code: 'timed_out', message: 'The job took longer than 15 minutes.' }, 'removed'],
  ] as const)('a job that is ended during a copy records its outcome: %s', async (how, type, data, atTheQueue) => {
    const copying = Promise.withResolvers<void>();
    copy = (_, signal) =>
      new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        copying.resolve();
      });
    const running = await started();
    const over = running.run();
    await copying.promise;
    running.end(how);
    await over;
    expect(await outcome()).toEqual([type, data, [atTheQueue]]);
  });

  it('the last line of a job’s log is the reason why the service stopped the job', async () => {
    const error = rightEnded('token_revoked');
    copy = async (_, signal) => {
      await store.write(stream, JobStopRequested({ error }));
      return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await (await started()).run();
    expect(await outcome()).toEqual(['JobStopped', { error }, ['removed']]);
    const { events } = await store.read(stream);
    const { lines } = events.at(-2)!.data as ReturnType<typeof JobLogged>['data'];
    expect(lines.at(-1)).toMatchObject({ stream: 'stderr', text: error.message });
  });

  it('the worker renews its lease immediately if starting the job took longer than the lease lasts', async () => {
    const asked = Promise.withResolvers<void>();
    renew = async () => {
      asked.resolve();
      return true;
    };
    findDeploy = () => asked.promise.then(() => ({ unchanged: false }));
    const running = await started(performance.now() - LEASE_MS);
    expect(running.isHeld).toBe(false);
    await running.run();
    expect(running.isHeld).toBe(true);
  });

  it('a worker records nothing more once another worker has taken the job', async () => {
    const running = await started();
    findDeploy = async () => {
      await store.write(stream, startedBy('other', 2));
      throw new TypeError('x is not a function');
    };
    await running.run();
    expect(await outcome()).toEqual(['JobStarted', { worker: 'other', attempt: 2 }, []]);
  });
});
