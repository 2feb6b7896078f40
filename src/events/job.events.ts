import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';
import { jobStarter, jobTrust, stopError, withoutStarter, withoutTrust } from './job-starter.js';
import { plan, repoSource } from './repo-source.js';

/** The stream of one job. It has no hash chain, and is deleted some time after the job ends. */
export const jobStream = (jobId: string) => `job-${jobId}`;
export const readJobId = (stream: string) => stream.slice('job-'.length);

export const jobSteps = ['clone', 'detect', 'install', 'build', 'publish', 'start'] as const;
const step = z.enum(jobSteps);
export type JobStep = z.output<typeof step>;

export const JobQueued = eventType(
  'JobQueued',
  z.strictObject({
    kind: z.enum(['repo_deploy', 'rerun']),
    siteId: z.string(),
    slug: z.string(),
    /** The deploy's ID, chosen in advance, so that a restarted job does not publish twice. */
    deployId: z.string(),
    source: repoSource,
    ...jobStarter,
    ...jobTrust,
  }),
  {},
  (first) => ({ ...first, ...withoutStarter }),
  (older) => ({ ...older, ...withoutTrust }),
);

/** The job was queued again, because its worker was shut down or is unreachable. */
export const JobQueuedAgain = eventType(
  'JobQueuedAgain',
  z.strictObject({ reason: z.enum(['handed_back', 'worker_lost']) }),
);

/** A worker has started the job. If several try, the first append wins. */
export const JobStarted = eventType(
  'JobStarted',
  z.strictObject({ worker: z.string(), attempt: z.number().int().positive() }),
);

export const JobStepped = eventType(
  'JobStepped',
  z.strictObject({
    step,
    status: z.enum(['running', 'succeeded', 'failed', 'skipped']),
    /** The commit (40 or 64 hexadecimal digits), or null until it is known. */
    commit: z.string().nullable(),
    /** The build plan, or null until it is known. */
    plan: plan.nullable(),
  }),
);

export const JobLogged = eventType(
  'JobLogged',
  z.strictObject({
    step,
    lines: z
      .array(
        z.strictObject({
          /** Line number within the job, starting at 1. */
          n: z.number().int().positive(),
          stream: z.enum(['stdout', 'stderr']),
          text: z.string(),
        }),
      )
      .min(1),
  }),
);

const stop = z.strictObject({ error: stopError });
const withoutError = () => ({ error: null });

export const JobStopRequested = eventType('JobStopRequested', stop, {}, withoutError);
export const JobStopped = eventType('JobStopped', stop, { endsStream: true }, withoutError);
export const JobSucceeded = eventType(
  'JobSucceeded',
  z.strictObject({
    deployId: z.string(),
    /** Whether the previous live deploy had the same content. Null for older jobs. */
    unchanged: z.boolean().nullable(),
  }),
  { endsStream: true },
  (first) => ({ ...first, unchanged: null }),
);
export const JobFailed = eventType('JobFailed', z.strictObject({ code: z.string(), message: z.string() }), {
  endsStream: true,
});

/** The earlier events of the job were deleted, long after it ended. */
export const JobForgotten = eventType('JobForgotten', z.strictObject({}));

export const jobEvents = [
  JobQueued,
  JobQueuedAgain,
  JobStarted,
  JobStepped,
  JobLogged,
  JobStopRequested,
  JobStopped,
  JobSucceeded,
  JobFailed,
  JobForgotten,
] as const;
export type JobEvent = EventOf<(typeof jobEvents)[number]>;
