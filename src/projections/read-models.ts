import { deployReadModel } from './models/deploy.projection.js';
import { domainReadModel } from './models/domain.projection.js';
import { historyReadModel } from './models/history.projection.js';
import { jobReadModel } from './models/job.projection.js';
import { memberships } from './models/member.projection.js';
import { scheduledBuilds } from './models/scheduled-build.projection.js';
import { siteReadModel } from './models/site.projection.js';

export const allReadModels = [
  siteReadModel,
  deployReadModel,
  historyReadModel,
  memberships,
  jobReadModel,
  domainReadModel,
  scheduledBuilds,
];
