/**
 * Whole days whose hours are kept, besides the present one: the longest range that may be asked for by hour, and as much
 * before it. Of what is older only days are kept.
 */
export const HOURS_KEPT_DAYS = 62;
