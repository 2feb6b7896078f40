import { deploys } from './models/deploy.projection.js';
import { domains } from './models/domain.projection.js';
import { history } from './models/history.projection.js';
import { jobs } from './models/job.projection.js';
import { memberships } from './models/member.projection.js';
import { scheduledBuilds } from './models/scheduled-build.projection.js';
import { sites } from './models/site.projection.js';

/** Every read model of the product. */
export const readModels = [sites, deploys, history, memberships, jobs, domains, scheduledBuilds];
