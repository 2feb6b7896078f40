/**
 * Number of days for which hourly figures are kept: twice the longest range with hourly figures, for comparison with
 * the preceding range. Older figures are only kept by day.
 */
export const HOURS_KEPT_DAYS = 62;
