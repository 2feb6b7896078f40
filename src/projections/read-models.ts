import { DeployRow, deploys } from './deploy.projection.js';
import { HistoryRow, history } from './history.projection.js';
import { JobRow, jobs } from './job.projection.js';
import { MembershipRow, memberships } from './member.projection.js';
import { SiteRow, sites } from './site.projection.js';

/** Everything that is kept from the log, and the tables it is kept in. */
export const readModels = [sites, deploys, history, memberships, jobs];
export const entities = [SiteRow, DeployRow, HistoryRow, MembershipRow, JobRow];
