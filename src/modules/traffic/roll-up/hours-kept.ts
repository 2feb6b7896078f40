/**
 * Older traffic is only kept by day. The number is twice the longest hourly range, for comparison with the preceding
 * range.
 */
export const HOURS_KEPT_DAYS = 62;
