import { setTimeout as delay } from 'node:timers/promises';
import { type JobEvent, type JobQueued, JobStepped, JobSucceeded, jobStream } from '../../../events/job.events.js';
import { bySystem } from '../../../kernel/command-context.js';
import { type Actor, type Recorded, StoreUnavailableError } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { Masks } from '../../../kernel/output/masks.js';
import { Refusal } from '../../../kernel/refusal.js';
import { type JobRight, RightEndedError, type StopError, toJobRight } from '../../../kernel/rights/job-right.js';
import { shareKey } from '../../../kernel/shares/share.js';
import type { JobEnvironment } from '../../sites/api/job-rights.js';
import type { Job } from '../job.state.js';
import { JobCommand } from '../job-command.js';
import type { JobProgress } from '../job-progress.js';
import { deployRepository } from '../publish/deploy-repository.js';
import { JobEndedError } from './job-end.js';
import { JobLog } from './job-log.js';
import type { JobServices } from './job-services.js';
import { outcomeOfEnd, outcomeOfError } from './outcome.js';
import { decideReport } from './report.decide.js';
import { startServer } from './start-server.js';

/** Pause between attempts to report while the store is unavailable. */
const REPORT_AGAIN_MS = 1_000;
/**
 * Pause between attempts to renew the lease. It is short, so that this worker is the first to renew the lease when the
 * queue is available again.
 */
const RENEW_AGAIN_MS = 100;

/** Number of characters that the jobs of one owner can log per day (UTC). */
const LOG_PER_DAY = 64 * 1_048_576;
const LOG_SHARE_FULL =
  'The log is full because the jobs of this site’s owner have logged 64 MiB today (UTC). Further output is discarded; the job continues.';

export class ReportOnJob extends JobCommand(decideReport) {}

const renewing = new BackgroundTask('renew_job_leases');
const countingLogs = new BackgroundTask('count_job_logs');
const reportingLogs = new BackgroundTask('report_job_logs');
const reportingOutcomes = new BackgroundTask('report_job_outcomes');
/** Counts and logs unexpected errors that make jobs fail. Users do not see these errors. */
const runningJobs = new BackgroundTask('run_jobs');

type Running = Extract<Job, { readonly worker: string }>;

type Start = { readonly actor: Actor; readonly right: JobRight };

/** A job as run by one worker, from its start to its outcome. */
export class RunningJob {
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  readonly #stream: string;
  readonly #log: JobLog;
  #masks = new Masks([]);
  #heldUntil: number;
  /** Resolves after the last report. Reports are made one at a time. */
  #reported: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly services: JobServices,
    private readonly jobId: string,
    private readonly state: Running,
    /** Revision of the job's stream when this worker began to run the job. */
    private readonly revision: number,
    /** When this worker requested a job from the queue (`performance.now()`). The lease began no earlier. */
    takenAt: number,
  ) {
    this.#heldUntil = takenAt + services.settings.leaseMs;
    this.#stream = jobStream(jobId);
    this.#log = new JobLog(
      state.lines,
      (chunk) => this.#report(chunk).then(reportingLogs.succeeded, reportingLogs.failed),
      { take: (characters) => this.#takeOfLogShare(characters), full: LOG_SHARE_FULL },
    );
  }

  /** Whether it is certain that this worker still holds the lease on the job. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  end(how: JobEndedError['how'], error: StopError | null = null): void {
    this.#ending.abort(new JobEndedError(how, error));
  }

  /** Resolves when the job has an outcome, was handed back, or was taken by another worker. Never rejects. */
  async run(): Promise<void> {
    const timer = setTimeout(() => this.end('timed_out'), this.services.builds.mostMs);
    const watching = this.#watchForStops();
    void this.#keepLease();
    try {
      await this.#reportOutcome(await this.#work());
    } catch (error) {
      // Another worker has the job, or the report failed and the next worker takes over when the lease expires.
      if (!(error instanceof Refusal)) reportingOutcomes.failed(error);
    } finally {
      clearTimeout(timer);
      this.#over.abort();
      await watching;
    }
  }

  async #work(): Promise<JobEvent[]> {
    const { siteId, deployId, source } = this.state;
    const { deploys, rights, statements, servers, shares } = this.services;
    const { signal } = this.#ending;
    try {
      // An earlier worker may already have published the deploy.
      const earlier = await deploys.find(siteId, deployId);
      if (earlier) return [JobSucceeded({ deployId, ...earlier })];
      const startedOn = new Date().toISOString();
      const { actor, right } = await this.#start();
      const { secrets, isTrusted, isWithheld } = await this.#environment(right);
      const share = shareKey(await shares.shareOf(siteId));
      const endedRights = await rights.countEnded(siteId);
      const { content, materials } = await deployRepository(
        source,
        {
          ...{ jobId: this.jobId, siteId, slug: this.state.slug, startedBy: actor, share, endedRights },
          ...{ secrets, isTrusted, isWithheld, isLinked: right.linkId !== null },
        },
        this.services,
        this.#progress,
        signal,
      );
      const made = { jobId: this.jobId, deployId, manifest: content.manifest, source, materials };
      const provenance = await statements.of({ ...made, startedOn, finishedOn: new Date().toISOString() });
      const { program, manifest: digest } = content;
      if (program !== null) {
        const { slug } = this.state;
        // The server reads secrets when it starts, so check again that the job still has its right to deploy.
        await this.#assertRight(right);
        const served = { siteId, slug, deployId, digest, kind: program, isTrusted };
        await startServer(served, servers, this.#progress, signal);
      }
      await this.#log.flush();
      signal.throwIfAborted();
      const by = { at: new Date().toISOString(), actor };
      const deploy = { siteId, deployId, jobId: this.jobId, commit: materials.commit, content, provenance };
      const { unchanged } = await deploys.publish(deploy, right, by);
      const last = program === null ? 'publish' : 'start';
      if (unchanged) await this.#log.line(last, 'Unchanged: the content is the same as before.');
      runningJobs.succeeded();
      return [succeeded(last), JobSucceeded({ deployId, unchanged })];
    } catch (error) {
      return this.#outcomeOf(error);
    }
  }

  /**
   * Loads the current secrets, regardless of when the job was queued. Masks only secrets that the build receives,
   * because masking others would reveal them to the build.
   */
  async #environment(right: JobRight): Promise<JobEnvironment> {
    const environment = await this.services.rights.readEnvironment(this.state.siteId, right);
    this.#masks = new Masks(environment.secrets.values());
    this.#log.mask(this.#masks);
    return environment;
  }

  /** If the owner's limit can't be checked because the database is unavailable, logging continues. */
  async #takeOfLogShare(characters: number): Promise<boolean> {
    let isTaken = true;
    await countingLogs.run(async () => {
      const share = shareKey(await this.services.shares.shareOf(this.state.siteId));
      isTaken = await this.services.logShares.take(share, characters, LOG_PER_DAY);
    });
    return isTaken;
  }

  async #assertRight(right: JobRight): Promise<void> {
    const end = await this.services.rights.whyEnded(this.state.siteId, right);
    if (end !== null) throw new RightEndedError(end);
  }

  async #outcomeOf(error: unknown): Promise<JobEvent[]> {
    const reason: unknown = this.#ending.signal.reason;
    const context = { masks: this.#masks, mostMs: this.services.builds.mostMs, lost: this.state.lost };
    const events =
      reason instanceof JobEndedError ? outcomeOfEnd(reason, error, context) : outcomeOfError(error, context);
    const [end] = events;
    if (end?.type === 'JobFailed' && end.data.code === 'internal') runningJobs.failed(error);
    if (end?.type === 'JobStopped' && end.data.error !== null) await this.#log.reason(end.data.error.message);
    return events;
  }

  /** Retries while the store is unavailable, unless another worker gets the job or the service stops. */
  async #reportOutcome(events: JobEvent[]): Promise<void> {
    for (;;) {
      try {
        return await this.#finish(events);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || this.#ending.signal.aborted) throw error;
        await delay(REPORT_AGAIN_MS, undefined, { signal: this.#ending.signal });
      }
    }
  }

  async #finish(events: JobEvent[]): Promise<void> {
    await this.#log.flush();
    if (events.length === 0) return;
    await this.#report(...events);
    const isBack = events.some(({ type }) => type === 'JobQueuedAgain');
    if (isBack) await this.services.queue.release(this.jobId, this.state.worker);
    else await this.services.queue.remove(this.jobId);
  }

  readonly #progress: JobProgress = {
    log: async (step, text, stream) => {
      this.#ending.signal.throwIfAborted();
      await this.#log.line(step, text, stream);
    },
    isLogFull: () => this.#log.isFull,
    step: async (step, status, { commit = null, plan = null } = {}) => {
      this.#ending.signal.throwIfAborted();
      await this.#log.flush();
      await this.#report(JobStepped({ step, status, commit, plan }));
    },
  };

  #report(...events: JobEvent[]): Promise<void> {
    const reporting = this.#reported.then(() => this.#record(events));
    this.#reported = reporting.catch(heardElsewhere);
    return reporting;
  }

  async #record(events: JobEvent[]): Promise<void> {
    const { worker, attempts: attempt } = this.state;
    const context = bySystem(new Date().toISOString());
    try {
      await this.services.commands.execute(new ReportOnJob({ context, jobId: this.jobId, worker, attempt, events }));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'lease_lost') this.end('lease_lost');
      throw error;
    }
  }

  async #watchForStops(): Promise<void> {
    const signal = AbortSignal.any([this.#over.signal, this.#ending.signal]);
    for await (const batch of this.services.store.watch(this.#stream, this.revision, signal))
      for (const { type, data } of batch as readonly Recorded<JobEvent>[])
        if (type === 'JobStopRequested') this.end('stopped', data.error);
  }

  /**
   * Keeps renewing the lease. If the queue is unavailable, the worker keeps the job, because no other worker can get it
   * meanwhile, and this worker should be the first to renew its lease afterwards. If another worker gets the job
   * nevertheless, only that worker can report (`decideReport`).
   */
  async #keepLease(): Promise<void> {
    const { queue, settings } = this.services;
    const { signal } = this.#over;
    // Starting the job may have taken longer than the lease, because it waits for the store.
    let pause = this.isHeld ? settings.leaseMs / 3 : 0;
    for (;;) {
      await delay(pause, undefined, { signal }).catch(waitEnded);
      if (signal.aborted) return;
      const renewedAt = performance.now();
      const isOurs = await queue.renew(this.jobId, this.state.worker).catch(renewing.failed);
      if (isOurs === false) return this.end('lease_lost');
      if (isOurs) {
        renewing.succeeded();
        this.#heldUntil = renewedAt + settings.leaseMs;
      }
      pause = isOurs ? settings.leaseMs / 3 : RENEW_AGAIN_MS;
    }
  }

  /** Reads who started the job, and the owner of its deploy, from the first event. */
  async #start(): Promise<Start> {
    const [first] = await this.services.store.page(this.#stream, 0, 1);
    // A job is queued only after its first event was recorded, so the store returned too few events.
    if (!first) throw new StoreUnavailableError(`The event store returned no events of ${this.#stream}.`);
    const { actor, data } = first as Recorded<ReturnType<typeof JobQueued>>;
    return { actor, right: toJobRight(data, actor) };
  }
}

const succeeded = (step: 'publish' | 'start') => JobStepped({ step, status: 'succeeded', commit: null, plan: null });
