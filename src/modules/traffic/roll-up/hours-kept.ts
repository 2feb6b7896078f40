/**
 * Number of days before today whose hours are kept: twice the longest hourly range, for comparison with the range
 * before it. Older traffic is only kept by day.
 */
export const HOURS_KEPT_DAYS = 62;
