import { z } from 'zod';
import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ClientEvent } from '../../../edge/live/live-stream.js';
import { selectTypes } from '../../../events/event-type.js';
import { type JobEvent, jobEvents, jobSteps } from '../../../events/job.events.js';
import type { Recorded } from '../../../kernel/event-store.js';
import { BuildPlan } from '../plan.schema.js';

export const finalTypes = selectTypes(jobEvents, 'endsStream');

/**
 * Converts a recorded event for clients. Returns null for an event from a newer version
 * (docs/interface/repositories.md, "Following a job").
 */
export function jobClientEvent(recorded: Recorded, slug: string, urls: ServiceUrls): ClientEvent | null {
  const event = recorded as Recorded & JobEvent;
  const { at } = event;
  switch (event.type) {
    case 'JobQueued':
      return { event: 'job.queued', data: { at, kind: event.data.kind, slug } };
    case 'JobQueuedAgain':
      return { event: 'job.queued', data: { at, again: event.data.reason } };
    case 'JobStarted':
      return { event: 'job.started', data: { at, attempt: event.data.attempt } };
    case 'JobStepped': {
      const { step, status, commit, plan } = event.data;
      return {
        event: 'job.step',
        data: { at, step, status, ...(commit !== null && { commit }), ...(plan !== null && { plan }) },
      };
    }
    case 'JobLogged':
      return { event: 'job.log', data: { at, ...event.data } };
    case 'JobStopRequested':
      return { event: 'job.stop-requested', data: { at } };
    case 'JobStopped':
      return { event: 'job.stopped', data: { at, ...(event.data.error !== null && { error: event.data.error }) } };
    case 'JobSucceeded': {
      const { deployId, unchanged } = event.data;
      const told = { at, deployId, slug, url: urls.site(slug), ...(unchanged !== null && { unchanged }) };
      return { event: 'job.succeeded', data: told };
    }
    case 'JobFailed':
      return { event: 'job.failed', data: { at, error: event.data } };
    default:
      return null;
  }
}

const at = z.string();

/** Schemas of the data of each event that clients receive about a job (see `jobClientEvent`). */
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
