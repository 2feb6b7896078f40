import type { JobEvent } from '../../../../events/job.events.js';
import type { Fold } from '../../../../kernel/decider.js';

/** State of a job, as far as it affects the site's slug. */
export type LastJob = 'unknown' | 'under_way' | 'without_deploy' | 'succeeded';

export const lastJob: Fold<LastJob, JobEvent> = {
  name: 'last-job',
  version: 1,
  initial: 'unknown',

  evolve(_, { type }) {
    switch (type) {
      case 'JobFailed':
      case 'JobStopped':
      // A job's stream contains only `JobForgotten` after its old events were deleted. The job counts as ended without
      // a deploy: if it had produced one, the site's stream would contain that deploy.
      case 'JobForgotten':
        return 'without_deploy';
      case 'JobSucceeded':
        return 'succeeded';
      default:
        return 'under_way';
    }
  },
};
