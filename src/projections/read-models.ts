import { deploys } from './deploy.projection.js';
import { history } from './history.projection.js';
import { jobs } from './job.projection.js';
import { memberships } from './member.projection.js';
import { sites } from './site.projection.js';

/** Everything that is kept from the log. */
export const readModels = [sites, deploys, history, memberships, jobs];
