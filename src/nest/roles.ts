/**
 * What one process of several does: `api` answers the service's own host, `serve` the hosts of sites, `worker` takes
 * jobs and does what follows from time (expiry, collection, forgetting), `projector` keeps the read models.
 */
export const ROLES = ['api', 'serve', 'worker', 'projector'] as const;

export type ProcessRole = (typeof ROLES)[number];
