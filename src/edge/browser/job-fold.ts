import type { JobView } from './job-view.js';

/** An event of a live stream (docs/interface/streams.md, "Streams"). */
export type Told = {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is known by the name of the event
  readonly data: any;
};

export const after = (job: JobView, told: Told): JobView => ({ ...job, ...change(job, told), revision: told.id });

function change(job: JobView, { event, data }: Told): Partial<JobView> {
  switch (event) {
    case 'job.queued':
      return { status: 'queued', startedAt: null, steps: [] };
    case 'job.started':
      return { status: 'running', startedAt: data.at };
    case 'job.step':
      return { steps: stepped(job, data), ...(data.commit && { commit: data.commit }) };
    case 'job.stop-requested':
      return job.status === 'running' ? { status: 'stopping' } : {};
    case 'job.succeeded':
      return { status: 'succeeded', finishedAt: data.at, url: data.url };
    case 'job.failed':
      return { status: 'failed', finishedAt: data.at, error: data.error, steps: ended(job, 'failed', data.at) };
    case 'job.stopped':
      return { status: 'stopped', finishedAt: data.at, error: data.error, steps: ended(job, 'stopped', data.at) };
    default:
      return {};
  }
}

type JobViewStep = JobView['steps'][number];

function stepped(
  { steps }: JobView,
  { step, status, at }: { step: string; status: JobViewStep['status']; at: string },
) {
  const known = steps.find(({ name }) => name === step);
  const now = { name: step, status, startedAt: known?.startedAt ?? at, finishedAt: status === 'running' ? null : at };
  return known ? steps.map((each) => (each === known ? now : each)) : [...steps, now];
}

const ended = ({ steps }: JobView, status: 'failed' | 'stopped', at: string) =>
  steps.map((step) => (step.status === 'running' ? { ...step, status, finishedAt: at } : step));
