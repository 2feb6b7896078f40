import { z } from 'zod';
import { jobSteps } from '../../../events/job.events.js';
import { BuildPlan } from '../plan.schema.js';

const at = z.string();

/** The data of each event of a job, as `jobClientEvent` makes it. */
export const jobEventShapes = {
  'job.queued': z.object({
    at,
    kind: z.enum(['repo_deploy', 'rerun']).optional(),
    slug: z.string().optional(),
    again: z.enum(['handed_back', 'worker_lost']).optional().meta({
      description:
        'Why the job was queued again: its worker was stopped (`handed_back`) or stopped responding (`worker_lost`).',
    }),
  }),
  'job.started': z.object({ at, attempt: z.int() }),
  'job.step': z.object({
    at,
    step: z.enum(jobSteps),
    status: z.enum(['running', 'succeeded', 'failed', 'skipped']),
    commit: z.string().optional(),
    plan: BuildPlan.optional(),
  }),
  'job.log': z.object({
    at,
    step: z.enum(jobSteps),
    lines: z.array(
      z.object({
        n: z.int().meta({ description: 'Line number within the job, starting at 1.' }),
        stream: z.enum(['stdout', 'stderr']),
        text: z.string(),
      }),
    ),
  }),
  'job.stop-requested': z.object({ at }),
  'job.stopped': z.object({
    at,
    error: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .meta({ description: 'Why the service stopped the job. Absent if a caller stopped it.' }),
  }),
  'job.succeeded': z.object({
    at,
    deployId: z.string(),
    slug: z.string(),
    url: z.string(),
    unchanged: z.boolean().optional(),
  }),
  'job.failed': z.object({ at, error: z.object({ code: z.string(), message: z.string() }) }),
};
