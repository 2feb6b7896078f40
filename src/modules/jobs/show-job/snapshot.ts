import { z } from 'zod';
import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { jobSteps } from '../../../events/job.events.js';
import type { JobRow } from '../../../projections/models/job.projection.js';
import { eventsUrl } from '../job-creator.js';
import { BuildPlan } from '../plan.schema.js';

export const JobSnapshot = z
  .object({
    id: z.string(),
    kind: z.enum(['repo_deploy', 'rerun']),
    status: z.enum(['queued', 'running', 'stopping', 'succeeded', 'failed', 'stopped']),
    plan: BuildPlan.nullable().meta({ description: 'The build plan, or null until it is detected.' }),
    steps: z.array(
      z.object({
        name: z.enum(jobSteps),
        status: z.enum(['running', 'succeeded', 'failed', 'skipped', 'stopped']),
        startedAt: z.string(),
        finishedAt: z.string().nullable(),
      }),
    ),
    slug: z.string(),
    commit: z.string().nullable(),
    deployId: z.string().optional(),
    url: z.string().optional().meta({ description: 'URL of the site. Only set after the job has published.' }),
    unchanged: z.boolean().optional().meta({
      description:
        'Whether the published content is identical to that of the previous live deploy. Only set after the job has published.',
    }),
    error: z.object({ code: z.string(), message: z.string() }).optional().meta({
      description:
        'Why the job failed, or why the service stopped it: `right_ended` if whoever started it no longer has the required rights.',
    }),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
    revision: z.number().int().meta({
      description:
        'Revision of the job’s event stream. To receive only later events, pass it as `after` when you request the events.',
    }),
    eventsUrl: z.string(),
  })
  .meta({ id: 'Job' });

/** Summarizes a job in one sentence for MCP clients. */
export function sayJob({ id, status, slug, url, error }: z.output<typeof JobSnapshot>): string {
  if (status === 'succeeded') return `${id} succeeded: ${slug} is live at ${url}.`;
  if (status === 'failed') return `${id} failed (${error?.code}): ${JSON.stringify(error?.message ?? '')}.`;
  const why = error === undefined ? '' : ` (${error.code}): ${JSON.stringify(error.message)}`;
  return `${id} for ${slug} is ${status}${why}.`;
}

export const toJobSnapshot = (row: JobRow, urls: ServiceUrls): z.output<typeof JobSnapshot> => ({
  id: row.jobId,
  kind: row.kind,
  status: row.status,
  plan: row.plan === null ? null : JSON.parse(row.plan),
  steps: JSON.parse(row.steps),
  slug: row.slug,
  commit: row.commit,
  ...(row.deployId !== null && { deployId: row.deployId, url: urls.site(row.slug) }),
  ...(row.unchanged !== null && { unchanged: row.unchanged }),
  ...(row.errorCode !== null && { error: { code: row.errorCode, message: row.errorMessage ?? '' } }),
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  finishedAt: row.finishedAt?.toISOString() ?? null,
  revision: row.revision,
  eventsUrl: eventsUrl(urls, row.jobId),
});
