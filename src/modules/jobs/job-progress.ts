import type { JobStepped } from '../../events/job.events.js';
import type { Plan } from '../../events/repo-source.js';

type StepProgress = ReturnType<typeof JobStepped>['data'];

/** Reports the progress of a job. */
export type JobProgress = {
  readonly log: (step: StepProgress['step'], text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
  /** Whether the log is full. Further output need not even be read. */
  readonly isLogFull: () => boolean;
  /** Records a step, after everything that was logged so far. */
  readonly step: (
    step: StepProgress['step'],
    status: StepProgress['status'],
    found?: { readonly commit?: string; readonly plan?: Plan },
  ) => Promise<void>;
};
