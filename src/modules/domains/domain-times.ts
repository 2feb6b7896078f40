/** How long a site may take to set the records, in milliseconds. */
export const PENDING_MS = 7 * 86_400_000;

/** How long the records of an active domain may be gone until it is lost, in milliseconds. */
export const MISSED_MS = 72 * 3_600_000;

/** So many milliseconds after that time (RFC 3339). */
export const after = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
