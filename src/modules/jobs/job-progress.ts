import type { JobStepped } from '../../events/job.events.js';
import type { Plan } from '../../events/repo-source.js';

type StepProgress = ReturnType<typeof JobStepped>['data'];

export type JobProgress = {
  readonly log: (step: StepProgress['step'], text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
  /** Reports whether the log is full, in which case further output does not have to be read. */
  readonly isLogFull: () => boolean;
  /** Records a step after everything logged so far. */
  readonly step: (
    step: StepProgress['step'],
    status: StepProgress['status'],
    found?: { readonly commit?: string; readonly plan?: Plan },
  ) => Promise<void>;
};
