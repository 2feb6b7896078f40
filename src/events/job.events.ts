import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';
import { jobStarter, jobTrust, stopError, withoutStarter, withoutTrust } from './job-starter.js';
import { plan, repoSource } from './repo-source.js';

/** What one job did. Outside the hash chain, and dropped some time after its end. */
export const jobStream = (jobId: string) => `job-${jobId}`;
export const jobIdOf = (stream: string) => stream.slice('job-'.length);

export const jobSteps = ['clone', 'detect', 'install', 'build', 'publish', 'start'] as const;
const step = z.enum(jobSteps);
export type JobStep = z.output<typeof step>;

export const JobQueued = eventType(
  'JobQueued',
  z.strictObject({
    kind: z.enum(['repo_deploy', 'rerun']),
    siteId: z.string(),
    slug: z.string(),
    /** Chosen beforehand: however often the job is taken up, it publishes this deploy once. */
    deployId: z.string(),
    source: repoSource,
    ...jobStarter,
    ...jobTrust,
  }),
  {},
  (first) => ({ ...first, ...withoutStarter }),
  (older) => ({ ...older, ...withoutTrust }),
);

/** The job waits again: its worker was stopped in order, or was not heard of any more. */
export const JobQueuedAgain = eventType(
  'JobQueuedAgain',
  z.strictObject({ reason: z.enum(['handed_back', 'worker_lost']) }),
);

/** A worker has it. Of any number of workers, the one whose append came first. */
export const JobStarted = eventType(
  'JobStarted',
  z.strictObject({ worker: z.string(), attempt: z.number().int().positive() }),
);

export const JobStepped = eventType(
  'JobStepped',
  z.strictObject({
    step,
    status: z.enum(['running', 'succeeded', 'failed', 'skipped']),
    /** 40 or 64 hexadecimal digits, once it is known which commit the job is about. */
    commit: z.string().nullable(),
    /** Once it is known. */
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
          /** Counted from 1 within the job. */
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
    /** Whether what was live before had the same content; null for a job of before this was told. */
    unchanged: z.boolean().nullable(),
  }),
  { endsStream: true },
  (first) => ({ ...first, unchanged: null }),
);
export const JobFailed = eventType('JobFailed', z.strictObject({ code: z.string(), message: z.string() }), {
  endsStream: true,
});

/** Long after its end: the events before this one were dropped. */
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
