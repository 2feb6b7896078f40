import { z } from 'zod';
import { type EventOf, eventType, upcast } from './event-type.js';
import { jobStarter, jobTrust, stopError, withoutStarter, withoutTrust } from './job-starter.js';
import { plan, repoSource } from './repo-source.js';

/** The stream of one job. It has no hash chain, and is deleted some time after the job ends. */
export const jobStream = (jobId: string) => `job-${jobId}`;
export const readJobId = (stream: string) => stream.slice('job-'.length);

export const jobSteps = ['clone', 'detect', 'install', 'build', 'publish', 'start'] as const;
const step = z.enum(jobSteps);
export type JobStep = z.output<typeof step>;

const exampleDeploy = 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p';
const exampleMember = 'mem_01jd4v8k3mqg5t2x9w7z6y4r1p';
const firstQueued = {
  kind: 'repo_deploy',
  siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n',
  slug: 'amber-otter-4821',
  deployId: exampleDeploy,
  source: { url: 'https://example.org/a/b', ref: 'main', rootDirectory: null, plan: { kind: 'static' } },
} as const;

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
  {
    example: {
      ...firstQueued,
      by: { kind: 'publisher', id: 'pub_01jd4v8k3mqg5t2x9w7z6y4r1p' },
      memberId: exampleMember,
      trust: 'link',
      linkId: 'lnk_01jd4v8k3mqg5t2x9w7z6y4r1p',
    },
  },
  upcast(firstQueued, (first) => ({ ...first, ...withoutStarter })),
  upcast(
    {
      ...firstQueued,
      kind: 'rerun',
      by: { kind: 'token', id: 'tok_01jd4v8k3mqg5t2x9w7z6y4r1p' },
      memberId: exampleMember,
    },
    (older) => ({ ...older, ...withoutTrust }),
  ),
);

/** The job was queued again, because its worker was shut down or is unreachable. */
export const JobQueuedAgain = eventType(
  'JobQueuedAgain',
  z.strictObject({ reason: z.enum(['handed_back', 'worker_lost']) }),
  { example: { reason: 'worker_lost' } },
);

/** A worker has started the job. If several workers try to start it, the one whose event is appended first wins. */
export const JobStarted = eventType(
  'JobStarted',
  z.strictObject({ worker: z.string(), attempt: z.number().int().positive() }),
  { example: { worker: '0a1b2c3d4e5f-1', attempt: 1 } },
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
  {
    example: {
      step: 'detect',
      status: 'succeeded',
      commit: null,
      plan: {
        kind: 'static',
        framework: null,
        packageManager: null,
        nodeVersion: null,
        installCommand: null,
        buildCommand: null,
        outputDirectory: 'public',
        rootDirectory: '.',
      },
    },
  },
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
  { example: { step: 'clone', lines: [{ n: 1, stream: 'stdout', text: 'Copying' }] } },
);

const stop = z.strictObject({ error: stopError });
const withoutError = upcast({}, () => ({ error: null }));
const exampleStop = {
  error: { code: 'right_ended', message: 'The user who started this job is no longer a member of the site.' },
};

export const JobStopRequested = eventType('JobStopRequested', stop, { example: exampleStop }, withoutError);
export const JobStopped = eventType('JobStopped', stop, { example: exampleStop, endsStream: true }, withoutError);
export const JobSucceeded = eventType(
  'JobSucceeded',
  z.strictObject({
    deployId: z.string(),
    /** Whether the deploy that was live before had the same content. Null for older jobs. */
    unchanged: z.boolean().nullable(),
  }),
  { example: { deployId: exampleDeploy, unchanged: true }, endsStream: true },
  upcast({ deployId: exampleDeploy }, (first) => ({ ...first, unchanged: null })),
);
export const JobFailed = eventType('JobFailed', z.strictObject({ code: z.string(), message: z.string() }), {
  example: { code: 'repo_unreachable', message: 'There is no public repository at this address.' },
  endsStream: true,
});

/** The earlier events of the job were deleted, long after it ended. */
export const JobForgotten = eventType('JobForgotten', z.strictObject({}), { example: {} });

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
