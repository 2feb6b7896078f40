import type { JobEvent, JobStep } from '../../events/job.events.js';
import type { RepoSource } from '../../events/repo-source.js';
import type { Fold } from '../../kernel/decider.js';
import type { StopError } from '../../kernel/rights/job-right.js';

/** Properties of a job that do not change, from the job's first event. */
type JobSubject = {
  readonly siteId: string;
  readonly slug: string;
  readonly deployId: string;
  readonly source: RepoSource;
  readonly attempts: number;
  /** Number of times that the job lost its worker. */
  readonly lost: number;
  readonly lines: number;
  readonly step: JobStep;
};

export type Job =
  | { readonly status: 'unknown' }
  | (JobSubject & { readonly status: 'queued' })
  | (JobSubject & { readonly status: 'running'; readonly worker: string })
  | (JobSubject & {
      readonly status: 'stopping';
      readonly worker: string;
      /** Why the service stops the job, or null if a caller stops it. */
      readonly error: StopError | null;
    })
  | (JobSubject & { readonly status: 'succeeded' | 'failed' | 'stopped' });

export const job: Fold<Job, JobEvent> = {
  name: 'job',
  version: 2,
  initial: { status: 'unknown' },

  evolve(state, event) {
    if (event.type === 'JobQueued') {
      const { siteId, slug, deployId, source } = event.data;
      return { status: 'queued', siteId, slug, deployId, source, attempts: 0, lost: 0, lines: 0, step: 'clone' };
    }
    if (state.status === 'unknown' || event.type === 'JobForgotten') return { status: 'unknown' };

    switch (event.type) {
      case 'JobQueuedAgain': {
        const lost = state.lost + (event.data.reason === 'worker_lost' ? 1 : 0);
        return { ...state, status: 'queued', lost };
      }
      case 'JobStarted':
        return { ...state, status: 'running', worker: event.data.worker, attempts: event.data.attempt };
      case 'JobStepped':
        return { ...state, step: event.data.step };
      case 'JobLogged':
        return { ...state, lines: event.data.lines.at(-1)?.n ?? state.lines, step: event.data.step };
      case 'JobStopRequested':
        return state.status === 'running' ? { ...state, status: 'stopping', error: event.data.error } : state;
      case 'JobStopped':
        return { ...state, status: 'stopped' };
      case 'JobSucceeded':
        return { ...state, status: 'succeeded' };
      case 'JobFailed':
        return { ...state, status: 'failed' };
      default:
        return state;
    }
  },
};
