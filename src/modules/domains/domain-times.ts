export const PENDING_MS = 7 * 86_400_000;

/** Time after which an active domain with missing records is lost. */
export const MISSED_MS = 72 * 3_600_000;

/** Adds milliseconds to a time (RFC 3339). */
export const after = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
