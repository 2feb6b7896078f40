/**
 * `api` handles requests for the service's own host, and `serve` those for sites. `worker` runs jobs and time-based
 * work (expiry, garbage collection, forgetting). `projector` maintains the read models.
 */
export const ROLES = ['api', 'serve', 'worker', 'projector'] as const;

export type ProcessRole = (typeof ROLES)[number];
