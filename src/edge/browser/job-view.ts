import { html, joined, type Markup } from './markup.js';

export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

type StepView = {
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'stopped';
  readonly startedAt: string;
  readonly finishedAt: string | null;
};

/** The part of `GET /v1/jobs/{id}` that the job page shows above the log. */
export type JobView = {
  readonly status: 'queued' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'stopped';
  readonly slug: string;
  readonly steps: readonly StepView[];
  readonly commit: string | null;
  readonly url?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** The revision of the last event that is reflected in this view. */
  readonly revision: number;
};

export const hasJobEnded = ({ status }: JobView) =>
  status === 'succeeded' || status === 'failed' || status === 'stopped';

const DOING: Readonly<Record<string, string>> = {
  clone: 'Cloning the repository',
  detect: 'Detecting the build plan',
  install: 'Installing dependencies',
  build: 'Building',
  publish: 'Publishing',
  start: 'Starting',
};

export function stateWords({ status, steps, error, startedAt, finishedAt }: JobView): string {
  const took = startedAt && finishedAt ? ` after ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}` : '';
  switch (status) {
    case 'queued':
      return 'Waiting in the queue';
    case 'running':
      return DOING[steps.findLast((step) => step.status === 'running')?.name ?? ''] ?? 'Running';
    case 'stopping':
      return 'Stopping';
    case 'succeeded':
      return `Online${took}`;
    case 'failed':
      return `Failed${took}${error ? `: ${error.message}` : ''}`;
    case 'stopped':
      return `Stopped${took}${error ? `: ${error.message}` : ''}`;
  }
}

export const stateLine = (job: JobView): Markup =>
  html`<span class="glyph ${job.status}"></span> <span>${stateWords(job)}</span>${
    job.status === 'succeeded' && job.url ? html` <a class="site" href="${job.url}">${job.url}</a>` : null
  }`;

const SAID = { running: 'running', succeeded: 'done', failed: 'failed', skipped: 'skipped', stopped: 'stopped' };

/** Renders the steps with their durations as of `now` (milliseconds since 1970). */
export const stepItems = ({ steps }: JobView, now: number): Markup =>
  joined(
    steps.map(({ name, status, startedAt, finishedAt }) => {
      const took = (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt);
      return html`<li><span class="glyph ${status}"></span> ${name} <span class="said">${SAID[status]}</span> <time datetime="${startedAt}" title="Started ${startedAt}">${duration(took)}</time></li>`;
    }),
  );
