/**
 * Number of days for which hourly figures are kept. It is twice the longest range shown by hour, because each range is
 * compared with the preceding one. Older figures are only kept by day.
 */
export const HOURS_KEPT_DAYS = 62;
