import type { JobStepped } from '../../events/job.events.js';
import type { Plan } from '../../events/repo-source.js';

type StepProgress = ReturnType<typeof JobStepped>['data'];

/** What a job tells while it goes on. */
export type JobProgress = {
  readonly log: (step: StepProgress['step'], text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
  /** Nothing more is taken: what would be said need not even be read. */
  readonly isLogFull: () => boolean;
  /** After everything logged so far. */
  readonly step: (
    step: StepProgress['step'],
    status: StepProgress['status'],
    found?: { readonly commit?: string; readonly plan?: Plan },
  ) => Promise<void>;
};
