import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { JobLogged, JobQueued, jobStream, readJobId } from '../../../events/job.events.js';
import { readSiteId } from '../../../events/site/site.events.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { batchPauseMs } from '../../../projections/projector/batch-pause.js';
import { LogIdentity } from '../../../projections/projector/log-identity.js';
import { ACTIVITY_KEPT_DAYS, type NewActivity, SiteActivity } from '../site-log/site-activity.js';
import { activityOfJob, activityOfSite } from './activity-of-event.js';

const RETRY_MS = 1_000;

const MAX_JOBS = 10_000;

const DAY_MS = 86_400_000;

type DeployData = { readonly deployId?: string; readonly number?: number | null };

const telling = new BackgroundTask('tell_activity_of_sites');

/**
 * Copies events from the event log to the logs of sites. Each event is written exactly once, even if a process is
 * killed. If several processes run this, whichever moves the checkpoint writes the entries, and the others continue
 * from the new position.
 */
@Injectable()
export class ActivityReactor {
  /** IDs of sites by job ID; `siteId` is null if the job no longer exists. */
  readonly #siteOfJob = new LRUCache<string, { readonly siteId: string | null }>({ max: MAX_JOBS });
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly activity: SiteActivity,
    private readonly logIdentity: LogIdentity,
  ) {}

  start(signal: AbortSignal): void {
    this.#running = this.#run(signal);
  }

  /** Resolves when the last batch of entries has been written. Must be called after the signal has aborted. */
  stopped(): Promise<void> {
    return this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        telling.succeeded();
      } catch (error) {
        if (signal.aborted) return;
        telling.failed(error);
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(waitEnded);
      }
    }
  }

  /**
   * Follows the event log until another process moves the checkpoint. The caller must then read the checkpoint again.
   */
  async #follow(signal: AbortSignal): Promise<void> {
    const log = await this.logIdentity.name();
    await this.activity.begin(log);
    let before = await this.activity.position(log);
    for await (const batch of this.store.follow(before, signal)) {
      const span = { log, before, after: batch.at(-1)?.position ?? before };
      const entries = await this.#toldOf(batch);
      const isMoved = entries.length > 0 ? await this.activity.add(span, entries) : await this.activity.pass(span);
      if (!isMoved) return;
      before = span.after;
      await delay(batchPauseMs(batch.length), undefined, { signal, ref: false }).catch(waitEnded);
    }
  }

  async #toldOf(batch: readonly Recorded[]): Promise<readonly NewActivity[]> {
    const since = Date.now() - ACTIVITY_KEPT_DAYS * DAY_MS;
    const entries: NewActivity[] = [];
    for (const event of batch) {
      if (event.type === JobQueued.type) this.#remember(event);
      if (Date.parse(event.at) < since) continue;
      const told = await this.#activityOf(event);
      if (told) entries.push(told);
    }
    return entries;
  }

  async #activityOf(event: Recorded): Promise<NewActivity | null> {
    const { stream, type } = event;
    if (stream.startsWith('site-')) return this.#activityOfSite(event);
    if (!stream.startsWith('job-') || type === JobLogged.type) return null;
    const jobId = readJobId(stream);
    const { siteId } = this.#siteOfJob.get(jobId) ?? (await this.#lookUp(jobId));
    return siteId === null ? null : activityOfJob(event, siteId, jobId);
  }

  async #activityOfSite(event: Recorded): Promise<NewActivity | null> {
    const { stream, data } = event;
    const siteId = readSiteId(stream);
    const { deployId, number } = data as DeployData;
    if (deployId === undefined || typeof number === 'number') return activityOfSite(event, siteId);
    // The event has only the ID of the deploy. Its number is in an earlier event.
    const { events } = await this.store.read(stream);
    const numbers = events.map((earlier) => earlier.data as DeployData);
    const deploy = numbers.find((each) => each.deployId === deployId && typeof each.number === 'number');
    return activityOfSite(event, siteId, () => deploy?.number ?? null);
  }

  #remember({ stream, data }: Recorded) {
    const { siteId } = data as ReturnType<typeof JobQueued>['data'];
    const known = { siteId };
    this.#siteOfJob.set(readJobId(stream), known);
    return known;
  }

  /** Finds the site of a job that was queued before this process started. A deleted job has no site. */
  async #lookUp(jobId: string) {
    const [first] = await this.store.page(jobStream(jobId), 0, 1);
    if (first?.type === JobQueued.type) return this.#remember(first);
    const unknown = { siteId: null };
    this.#siteOfJob.set(jobId, unknown);
    return unknown;
  }
}
