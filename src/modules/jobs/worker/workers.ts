import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, type Repository } from 'typeorm';
import { JobQueued, JobQueuedAgain } from '../../../events/job.events.js';
import { MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteRepositoryLinked, SiteRepositoryUnlinked } from '../../../events/site/repository.events.js';
import { SiteDeleted, SiteSlugReleased } from '../../../events/site/settings.events.js';
import { readSiteId, SiteTakenDown } from '../../../events/site/site.events.js';
import { AccessTokenRevoked, PublisherRemoved } from '../../../events/site/token.events.js';
import { bySystem } from '../../../kernel/command-context.js';
import { EventStore, type Recorded, StoreUnavailableError } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { JobSettings } from '../../../settings/build-settings.js';
import { isProbeJob, JobQueue } from '../api/job-queue.js';
import { JobCommand } from '../job-command.js';
import { JobServices } from './job-services.js';
import { RunningJob } from './running-job.js';
import { SiteJobStopper } from './site-job-stopper.js';
import { decideTake } from './take.decide.js';

/** Site events that may end the right of a job on the site. */
const ENDING: ReadonlySet<string> = new Set(
  [
    SiteClaimed,
    MemberRemoved,
    MemberRoleChanged,
    AccessTokenRevoked,
    PublisherRemoved,
    SiteRepositoryLinked,
    SiteRepositoryUnlinked,
    SiteTakenDown,
    SiteDeleted,
    SiteSlugReleased,
  ].map(({ type }) => type),
);

/** Returns each site with the position of the last event that may have ended rights. */
const sitesOfEndedRights = (events: readonly Recorded[]): ReadonlyMap<string, bigint> =>
  new Map(events.flatMap(({ type, stream, position }) => (ENDING.has(type) ? [[readSiteId(stream), position]] : [])));

/** Interval between searches for jobs whose worker was lost. */
const LOOK_EVERY_MS = 1_000;
/** Interval between searches for jobs whose access token or grant was revoked. */
const LOOK_FOR_REVOKED_EVERY_MS = 2_000;
/**
 * Interval between searches for jobs that are missing from the queue because a process exited too early or the queue
 * was lost.
 */
const OFFER_EVERY_MS = 10_000;

export class TakeJob extends JobCommand(decideTake) {}

const taking = new BackgroundTask('take_jobs');
const offering = new BackgroundTask('offer_forgotten_jobs');
const stopping = new BackgroundTask('stop_jobs_of_ended_rights');

/**
 * Runs jobs in queue order, up to the configured number at a time. Any number of processes can do this concurrently.
 */
@Injectable()
export class Workers {
  readonly #name = randomBytes(6).toString('hex');
  readonly #running = new Map<RunningJob, Promise<void>>();
  #taken = 0;
  #wake = Promise.withResolvers<void>();
  #going: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly commands: CommandBus,
    private readonly store: EventStore,
    private readonly queue: JobQueue,
    private readonly settings: JobSettings,
    private readonly siteJobs: SiteJobStopper,
    private readonly services: JobServices,
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
  ) {}

  start(signal: AbortSignal) {
    this.#going = Promise.all([this.#take(signal), this.#listen(signal), this.#offer(signal)]);
    const polling = { name: 'stop_jobs_of_revoked_credentials', everyMs: LOOK_FOR_REVOKED_EVERY_MS, signal };
    void pollLoop(polling, () => this.siteJobs.stopRevoked());
    signal.addEventListener('abort', () => {
      for (const running of this.#running.keys()) running.end('handed_back');
      this.wake();
    });
  }

  /** Resolves when every running job has been handed back. Must be called after the signal has aborted. */
  async stopped() {
    await this.#going;
    await Promise.all(this.#running.values());
  }

  /** Looks for waiting jobs. Must be called when a job may be waiting. */
  wake() {
    this.#wake.resolve();
  }

  async #take(signal: AbortSignal) {
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers();
      try {
        while (!signal.aborted && this.#canTake()) if (!(await this.#takeNext(signal))) break;
        taking.succeeded();
      } catch (error) {
        if (!signal.aborted) taking.failed(error);
      }
      await Promise.race([this.#wake.promise, delay(LOOK_EVERY_MS, undefined, { ref: false })]);
    }
  }

  /**
   * Reports whether this process can take another job. It can't while it may have lost a lease, because the queue could
   * then offer it a job that it is still running.
   */
  #canTake(): boolean {
    const running = [...this.#running.keys()];
    return running.length < this.settings.atOnce && running.every(({ isHeld }) => isHeld);
  }

  async #takeNext(signal: AbortSignal): Promise<boolean> {
    // Each run of a job has a worker with a unique name, so that a worker that lost a job is not mistaken for the one
    // that has it now.
    const worker = `${this.#name}-${++this.#taken}`;
    const limits = { inAll: this.settings.atOnce, perOwner: this.settings.perOwner };
    const takenAt = performance.now();
    const jobId = await this.queue.take(worker, limits);
    if (jobId === null) return false;
    if (isProbeJob(jobId)) {
      await this.queue.remove(jobId);
      return true;
    }
    const { state, head } = await this.#started(jobId, worker, signal);
    if (state.status !== 'running' || state.worker !== worker) await this.queue.remove(jobId);
    else this.#run(new RunningJob(this.services, jobId, state, head.revision, takenAt), signal);
    return true;
  }

  /**
   * Retries while the store is unavailable. Without retries, the lease would expire and the worker would count as lost.
   */
  async #started(jobId: string, worker: string, signal: AbortSignal) {
    for (;;) {
      const context = bySystem(new Date().toISOString());
      try {
        return await this.commands.execute(new TakeJob({ context, jobId, worker }));
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
        await delay(LOOK_EVERY_MS, undefined, { signal });
      }
    }
  }

  #run(running: RunningJob, signal: AbortSignal) {
    // A job that was taken while the service was shutting down missed the signal, so hand it back here.
    if (signal.aborted) running.end('handed_back');
    const over = running.run().finally(() => {
      this.#running.delete(running);
      this.wake();
    });
    this.#running.set(running, over);
  }

  /** Wakes the workers whenever a process has queued a job, and stops jobs whose right to deploy has ended. */
  async #listen(signal: AbortSignal) {
    const queued: readonly string[] = [JobQueued.type, JobQueuedAgain.type];
    for await (const batch of this.store.follow(await this.store.lastPosition(), signal)) {
      if (batch.some(({ type }) => queued.includes(type))) this.wake();
      // If a job can't be stopped now, a later search finds it, or the job checks its own right before it reads secrets
      // or publishes.
      for (const [siteId, position] of sitesOfEndedRights(batch))
        void stopping.run(() => this.siteJobs.stopOnSite(siteId, position));
    }
  }

  async #offer(signal: AbortSignal) {
    while (!signal.aborted) {
      await offering.run(() => this.#offerForgotten());
      await delay(OFFER_EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
    }
  }

  async #offerForgotten() {
    const before = new Date(Date.now() - OFFER_EVERY_MS / 2);
    const waiting = await this.jobs.find({
      where: { status: In(['queued', 'running', 'stopping']), createdAt: LessThan(before) },
      order: { createdAt: 'asc' },
      take: 500,
    });
    // `offer` has no effect on a job that is already in the queue or has ended in the meantime.
    for (const { jobId, siteId } of waiting) await this.queue.offer(jobId, siteId);
    // Also stop jobs whose right to deploy ended while no worker was running to notice it.
    await this.siteJobs.stopEnded(waiting.filter(({ status }) => status !== 'stopping'));
  }
}
