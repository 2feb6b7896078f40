import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { bySystem } from '../../../kernel/command-context.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import { Ids } from '../../../kernel/ids.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { ScheduledBuildRow } from '../../../projections/models/scheduled-build.projection.js';
import { type DueBuild, RepositoryLinks } from '../../sites/api/repository-links.js';
import { JobCreator } from '../job-creator.js';
import { CronSchedules } from './cron-schedules.js';

const LOOK_EVERY_MS = 30_000;
/** Builds start up to this much later than scheduled, so that they do not all start on the hour. */
const JITTER_SECONDS = 300;
const ROWS_AT_ONCE = 500;
/** Number of sites that are checked concurrently, so that Git hosts that do not respond delay the search less. */
const SITES_AT_ONCE = 8;
const HEAD_WITHIN_MS = 10_000;

const queueing = new BackgroundTask('queue_scheduled_builds');

type DueRow = { readonly siteId: string; readonly dueAt: string };

/**
 * Queues scheduled builds. Several processes can do this concurrently, and a search that was interrupted by a crash can
 * be repeated: the ID of a job is derived from its site and scheduled time, so the job is queued only once. One build
 * replaces all builds that were missed while no process was running.
 */
@Injectable()
export class ScheduledBuilds {
  /**
   * For each site, the last scheduled time that has been dealt with: its build was queued or turned out not to be
   * needed.
   */
  #settled = new Map<string, string>();

  constructor(
    @InjectRepository(ScheduledBuildRow) private readonly rows: Pick<Repository<ScheduledBuildRow>, 'find'>,
    private readonly links: RepositoryLinks,
    private readonly repositories: Repositories,
    private readonly schedules: CronSchedules,
    private readonly queue: JobCreator,
    private readonly ids: Ids,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'look_for_scheduled_builds', everyMs: LOOK_EVERY_MS, signal }, async () => {
      await this.queueDue(new Date(), signal);
      return false;
    });
  }

  async queueDue(now: Date, signal: AbortSignal): Promise<void> {
    const settled = new Map<string, string>();
    for (let after = ''; ; ) {
      const rows = await this.rows.find({
        where: { siteId: MoreThan(after) },
        order: { siteId: 'asc' },
        take: ROWS_AT_ONCE,
      });
      const due = rows.flatMap((row) => this.#dueAt(row, now) ?? []);
      for (let from = 0; from < due.length && !signal.aborted; from += SITES_AT_ONCE) {
        const some = due.slice(from, from + SITES_AT_ONCE);
        await Promise.all(
          some.map(async (row) => {
            const isDone = this.#settled.get(row.siteId) === row.dueAt || (await this.#settle(row, signal));
            if (isDone) settled.set(row.siteId, row.dueAt);
          }),
        );
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_ONCE) break;
      after = last.siteId;
    }
    this.#settled = settled;
  }

  #dueAt({ siteId, schedule, doneUntil }: ScheduledBuildRow, now: Date): DueRow | null {
    const dueAt = this.schedules.previous(schedule, new Date(+now - jitterSeconds(siteId) * 1_000));
    return dueAt !== null && dueAt > doneUntil ? { siteId, dueAt: dueAt.toISOString() } : null;
  }

  /** Queues the site's due build if it is still needed. Resolves to false if this must be tried again. */
  #settle({ siteId, dueAt }: DueRow, signal: AbortSignal): Promise<boolean> {
    return queueing.run(async () => {
      const build = await this.links.findDueBuild(siteId, dueAt);
      if (build === null || (await this.#isUnchanged(build, signal))) return;
      const jobId = this.ids.of('job', `${siteId} ${dueAt}`);
      const ids = { jobId, deployId: this.ids.of('dep', jobId) };
      // First queue the job, which is safe to repeat because its ID is always the same. Then record it on the site,
      // which settles the scheduled time.
      await this.queue.add('repo_deploy', ids, build.target, bySystem(new Date().toISOString()), siteId);
      await this.links.recordDueBuild(siteId, jobId, dueAt);
    });
  }

  /** If the Git host does not report the branch's latest commit, the build runs anyway, and its log shows the error. */
  async #isUnchanged({ skipUnchanged, liveCommit, target }: DueBuild, signal: AbortSignal) {
    if (!skipUnchanged || liveCommit === null) return false;
    const { url, ref } = target.source;
    const late = AbortSignal.any([signal, AbortSignal.timeout(HEAD_WITHIN_MS)]);
    return (await this.repositories.head({ url, ref, isBranch: true }, late).catch(ignoreFault)) === liveCommit;
  }
}

/** Returns how much later than scheduled a site's build starts. Every process computes the same delay. */
const jitterSeconds = (siteId: string) => hash('sha256', siteId, 'buffer').readUInt32BE() % JITTER_SECONDS;
