import type { JobEvent } from '../../../../events/job.events.js';
import type { Fold } from '../../../../kernel/decider.js';

/** How a job of a site stands, as far as the site's slug depends on it. */
export type LastJob = 'unknown' | 'under_way' | 'without_deploy' | 'succeeded';

export const lastJob: Fold<LastJob, JobEvent> = {
  name: 'last-job',
  version: 1,
  initial: 'unknown',

  evolve(_, { type }) {
    switch (type) {
      case 'JobFailed':
      case 'JobStopped':
      // What is left of an old stream: had the job made a deploy, the site would say so.
      case 'JobForgotten':
        return 'without_deploy';
      case 'JobSucceeded':
        return 'succeeded';
      default:
        return 'under_way';
    }
  },
};
