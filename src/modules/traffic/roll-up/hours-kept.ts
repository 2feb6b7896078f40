/** Twice the longest hourly range, for comparison with the preceding range. Older traffic is only kept by day. */
export const HOURS_KEPT_DAYS = 62;
