import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { html, joined, type Markup } from '../../../edge/browser/markup.js';
import { rerunForm } from '../../../edge/http/pages/rerun-form.js';
import { RIGHT_ENDED } from '../../../kernel/rights/job-right.js';
import { JobRow } from '../../../projections/models/job.projection.js';

/** Jobs that were stopped because the person who started them lost the right to do so, and that were not run again. */
@Injectable()
export class StoppedJobs {
  constructor(@InjectRepository(JobRow) private readonly jobs: Repository<JobRow>) {}

  /** Returns the newest job of each of these sites if it was stopped for this reason. */
  async newestOf(siteIds: readonly string[]): Promise<readonly JobRow[]> {
    const stopped = await this.jobs.findBy({
      siteId: In([...siteIds]),
      status: In(['stopping', 'stopped']),
      errorCode: RIGHT_ENDED,
    });
    const sites = [...new Set(stopped.map(({ siteId }) => siteId))];
    const newest = await Promise.all(
      sites.map((siteId) => this.jobs.findOne({ where: { siteId }, order: { createdAt: 'desc', jobId: 'desc' } })),
    );
    return newest.filter((row) => row?.errorCode === RIGHT_ENDED) as JobRow[];
  }
}

/** Names the stopped jobs and offers to run each again; null if there are none. */
export const stoppedJobsNotice = (jobs: readonly JobRow[]): Markup | null =>
  jobs.length === 0
    ? null
    : html`<ul class="sites">${joined(
        jobs.map(
          ({ jobId, slug, errorMessage }) =>
            html`<li><span><a href="/jobs/${jobId}">A deploy of ${slug}</a> was stopped: ${errorMessage}</span> ${rerunForm(slug)}</li>`,
        ),
      )}</ul>`;
