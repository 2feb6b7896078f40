import type { JobStepped } from '../../events/job.events.js';
import type { Plan } from '../../events/repo-source.js';

type StepProgress = ReturnType<typeof JobStepped>['data'];

export type JobProgress = {
  readonly log: (step: StepProgress['step'], text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
  /** Reports whether the job's log is full. If so, the build's further output does not have to be read. */
  readonly isLogFull: () => boolean;
  /** Records the status of a step of the job, after all lines logged so far. */
  readonly step: (
    step: StepProgress['step'],
    status: StepProgress['status'],
    found?: { readonly commit?: string; readonly plan?: Plan },
  ) => Promise<void>;
};
