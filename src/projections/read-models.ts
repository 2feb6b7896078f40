import { deploys } from './models/deploy.projection.js';
import { domains } from './models/domain.projection.js';
import { history } from './models/history.projection.js';
import { jobs } from './models/job.projection.js';
import { memberships } from './models/member.projection.js';
import { sites } from './models/site.projection.js';

/** All read models of the product. */
export const readModels = [sites, deploys, history, memberships, jobs, domains];
