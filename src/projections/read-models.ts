import { deploys } from './models/deploy.projection.js';
import { history } from './models/history.projection.js';
import { jobs } from './models/job.projection.js';
import { memberships } from './models/member.projection.js';
import { sites } from './models/site.projection.js';

/** Everything that is kept from the log. */
export const readModels = [sites, deploys, history, memberships, jobs];
