/**
 * Roles of a process. `api`: requests for the service's own host. `serve`: requests for sites. `worker`: jobs and
 * time-based work such as expiry. `projector`: read models.
 */
export const ROLES = ['api', 'serve', 'worker', 'projector'] as const;

export type ProcessRole = (typeof ROLES)[number];
